// The bytes of an address that a duplicate of a string has.
// proves: 24 no  reason: its address is read in parts
// proves: 0 pool
#define _GNU_SOURCE
#include "rebuilt_addresses.h"

__attribute__((noinline)) static struct node* same_of(struct node* node) {
    static volatile size_t length = 1;
    struct node* same;
    for (unsigned i = 0; i < sizeof same; ++i) {
        char* letter = strndup((char*)&node + i, length);
        ((char*)&same)[i] = letter[0];
        free(letter);
    }
    return same;
}
