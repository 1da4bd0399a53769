// A function that has the name of one of the C library's, and is the program's own.
// proves: 0 no
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    long key, count;
};

__attribute__((noinline)) void* reallocarray(void* old, size_t count, size_t bytes) {
    void* made = malloc(count * bytes + 1);
    if (old != NULL) {
        memcpy(made, old, (count / 2) * bytes);
        free(old);
    }
    return made;
}

int main(void) {
    struct item* items = NULL;
    long sum = 0;
    for (unsigned i = 0, room = 0; i < 64; ++i) {
        if (i == room) {
            room = room == 0 ? 1 : 2 * room;
            items = reallocarray(items, room, sizeof *items);
        }
        items[i] = (struct item){i, 3 * i};
    }
    for (unsigned i = 0; i < 64; ++i) {
        sum = sum * 31 + items[i].key + items[i].count;
    }
    free(items);
    printf("%ld\n", sum);
    return 0;
}
