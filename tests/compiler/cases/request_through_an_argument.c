// The same of a function that stores what it requested where its argument says.
// proves: 24 split
#include "items_of_each_round.h"

__attribute__((noinline)) static void begin(struct item** items, size_t count) {
    *items = malloc(count * sizeof **items);
}

static struct item* make(size_t count) {
    struct item* items;
    begin(&items, count);
    return items;
}
