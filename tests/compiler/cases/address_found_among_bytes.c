// The bytes of an address by where the library finds them among all bytes.
// proves: 24 no  reason: its address is read in parts
#define _GNU_SOURCE
#include "rebuilt_addresses.h"

__attribute__((noinline)) static struct node* same_of(struct node* node) {
    static volatile size_t length = 1;
    char all[256];
    for (int i = 0; i < 256; ++i) {
        all[i] = (char)i;
    }
    struct node* same;
    for (unsigned i = 0; i < sizeof same; ++i) {
        ((char*)&same)[i] = (char)((char*)memmem(all, sizeof all, (char*)&node + i, length) - all);
    }
    return same;
}
