// An object that realloc makes larger.
// proves: 0 pool  reason: made larger or smaller
#include <stdio.h>
#include <stdlib.h>

struct item {
    long key;
    int count;
};

int main(void) {
    struct item* items = NULL;
    long sum = 0;
    unsigned room = 0;
    for (unsigned i = 0; i < 100; ++i) {
        if (i == room) {
            room = 2 * room + 4;
            items = realloc(items, room * sizeof *items);
        }
        items[i].key = i;
        items[i].count = (int)i * 3;
    }
    for (unsigned i = 0; i < 100; ++i) {
        sum = sum * 31 + items[i].key + items[i].count;
    }
    free(items);
    printf("%ld\n", sum);
    return 0;
}
