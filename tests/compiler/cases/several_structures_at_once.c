// Several elements of an array filled, copied and moved at once, of numbers that only the run knows.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    long key;
    struct item* other;
    int count;
    short mark;
};

static volatile int wanted = 120;

__attribute__((noinline)) static struct item* grown(struct item* items, int count, int more) {
    struct item* made = malloc((size_t)(count + more) * sizeof *made);
    memcpy(made, items, (size_t)count * sizeof *made);
    memset(made + count, 0, (size_t)more * sizeof *made);
    free(items);
    return made;
}

__attribute__((noinline)) static void insert(struct item* items, int count, int at, long key) {
    memmove(&items[at + 1], &items[at], (size_t)(count - at) * sizeof *items);
    items[at] = (struct item){key, items, at, (short)(at % 5)};
}

int main(void) {
    struct item* items = NULL;
    int count = 0, room = 0;
    for (int i = 0; i < wanted; ++i) {
        if (count == room) {
            items = grown(items, count, room + 3);
            room += room + 3;
        }
        insert(items, count, i * 7 % (count + 1), i);
        ++count;
    }
    memcpy(items + 2, items + 30, 4 * sizeof *items);
    memset(items + 10, 0, 3 * sizeof *items);
    long sum = 0;
    for (int i = 0; i < room; ++i) {
        const struct item* item = &items[i];
        sum = sum * 31 + item->key + item->count + item->mark + (item->other == NULL);
    }
    printf("%ld\n", sum);
    free(items);
    return 0;
}
