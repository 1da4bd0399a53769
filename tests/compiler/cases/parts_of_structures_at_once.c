// As many bytes of an array filled and copied as a number says: some elements, and a part of one.
// proves: 32 split
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    long key;
    int count, mark;
    double value;
    short kind, last;
};

static volatile size_t wanted = 40;

static long sum_of(const struct item* items, size_t count) {
    long sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum = sum * 31 + items[i].key + items[i].count * 3 + items[i].mark * 5 + (long)(items[i].value * 8) +
              items[i].kind * 7 + items[i].last;
    }
    return sum;
}

__attribute__((noinline)) static void clear(struct item* items, size_t bytes) {
    memset(items, 0, bytes);
}

__attribute__((noinline)) static void copy(struct item* to, const struct item* from, size_t bytes) {
    memcpy(to, from, bytes);
}

int main(void) {
    const size_t count = wanted;
    struct item* items = malloc(count * sizeof *items);
    memset(items, 0, count * sizeof *items);
    long sum = 0;
    for (size_t bytes = 0; bytes < 150; ++bytes) {
        for (size_t i = 0; i < count; ++i) {
            items[i].key = (long)(i * bytes);
            items[i].count = (int)(i + bytes);
            items[i].mark = (int)(i ^ bytes);
            items[i].value = (double)i / 8;
            items[i].kind = (short)bytes;
            items[i].last = (short)i;
        }
        copy(items + 20, items + 3, bytes);
        clear(items + 1, bytes / 2);
        clear(items + 10 + bytes % 3, bytes);
        sum = sum * 31 + sum_of(items, count);
    }
    free(items);
    printf("%ld\n", sum);
    return 0;
}
