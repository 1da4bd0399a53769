// The bytes of an address that a function for strings copies.
// proves: 24 no  reason: is put together from parts
#include "rebuilt_addresses.h"

__attribute__((noinline)) static struct node* same_of(struct node* node) {
    static volatile size_t length = 1;
    struct node* same;
    for (unsigned i = 0; i < sizeof same; ++i) {
        strncpy((char*)&same + i, (char*)&node + i, length);
    }
    return same;
}
