// An address that bits of another one decide: no number comes from it, and yet it is the same.
// shows: read_in_parts
// proves: 24 no  reason: its address is read in parts
#include "rebuilt_addresses.h"

__attribute__((noinline)) static struct node* same_of(struct node* node) {
    volatile uint32_t* halves = (volatile uint32_t*)&node;
    const uint32_t low = halves[0], high = halves[1];
    char* address = NULL;
    for (unsigned i = 0; i < 32; ++i) {
        if ((low >> i & 1) != 0) {
            address += 1UL << i;
        }
        if ((high >> i & 1) != 0) {
            address += 1UL << (i + 32);
        }
    }
    return (struct node*)address;
}
