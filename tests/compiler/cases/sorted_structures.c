// Structures themselves sorted by the C library, which moves their bytes and calls back with their addresses.
// proves: 24 pool  reason: is given to a function of a library
// graph: items is heap 2400, many in one, stride 24
// graph: items+8 -> items+0
#include <stdio.h>
#include <stdlib.h>

struct item {
    long key;
    struct item* self;
    int mark;
};

static int order(const void* one, const void* other) {
    const struct item *a = one, *b = other;
    return (a->key > b->key) - (a->key < b->key);
}

int main(void) {
    struct item* items = calloc(100, sizeof *items);
    for (int i = 0; i < 100; ++i) {
        items[i].key = i * 37 % 100;
        items[i].self = &items[i];
        items[i].mark = i;
    }
    qsort(items, 100, sizeof *items, order);
    long sum = 0;
    for (int i = 0; i < 100; ++i) {
        sum = sum * 31 + items[i].key + items[i].mark + items[i].self->mark;
    }
    free(items);
    printf("%ld\n", sum);
    return 0;
}
