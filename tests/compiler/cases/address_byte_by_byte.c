// An address that is read byte by byte and put together again from numbers.
// proves: 24 no  reason: its address is read in parts
#include "rebuilt_addresses.h"

__attribute__((noinline)) static struct node* same_of(struct node* node) {
    volatile unsigned char* bytes = (volatile unsigned char*)&node;
    uint64_t address = 0;
    for (unsigned i = 0; i < sizeof node; ++i) {
        address |= (uint64_t)bytes[i] << (8 * i);
    }
    return (struct node*)address;
}
