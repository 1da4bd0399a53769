// Pointers that step through an array, up to its end and down from there, and back by some elements.
// proves before clang 22: 40 split
// proves since clang 22: 0 pool
#include <stdio.h>
#include <stdlib.h>

struct item {
    long key, weight;
    int count, mark;
    double value;
    char name;
};

static volatile size_t wanted = 300;

__attribute__((noinline)) static struct item* find(struct item* begin, const struct item* end, long key) {
    struct item* item = begin;
    while (item < end && item->key != key) {
        ++item;
    }
    return item;
}

__attribute__((noinline)) static long downward(struct item* begin, struct item* end) {
    long sum = 0;
    while (end-- > begin) {
        sum = sum * 31 + end->key + end->mark;
    }
    return sum;
}

__attribute__((noinline)) static struct item* last_of(struct item* items, size_t count) {
    return items + count - 1;
}

int main(void) {
    // May be so many that their bytes wrap around: then clang 22 does not say that the end is elements away.
    const size_t count = wanted;
    struct item* items = malloc(count * sizeof(struct item));
    struct item* end = items + count;
    long next = 0;
    for (struct item* item = items; item != end; ++item, ++next) {
        *item = (struct item){next * 37 % 301, next, (int)next * 2, 0, next * 0.5, 'a'};
    }
    for (struct item* item = last_of(items, count); item >= items + 5; item -= 5) {
        item->mark = item[-4].count - item[-5].count;
        item[-1].name = 'b';
    }
    long sum = downward(items, end);
    for (long key = 0; key < 310; key += 7) {
        const struct item* found = find(items, end, key);
        sum = sum * 31 + (found == end ? -1 : found->weight + found->name + (long)found->value);
    }
    free(items);
    printf("%ld\n", sum);
    return 0;
}
