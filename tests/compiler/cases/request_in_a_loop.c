// What is loaded of where arrays begin stays behind the call of the function that requests them.
// proves: 24 split
#include "items_of_each_round.h"

__attribute__((noinline)) static struct item* make(size_t count) {
    return malloc(count * sizeof(struct item));
}
