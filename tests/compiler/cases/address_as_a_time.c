// An address that is taken for a time, and found again of its parts.
// proves: 24 no
#define _GNU_SOURCE
#include <time.h>

#include "rebuilt_addresses.h"

__attribute__((noinline)) static struct node* same_of(struct node* node) {
    time_t time = (time_t)(uintptr_t)node;
    struct tm parts;
    gmtime_r(&time, &parts);
    return (struct node*)(uintptr_t)timegm(&parts);
}
