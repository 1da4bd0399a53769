// An array within objects, with an index of which nobody knows where it leads.
// shows: not_told_apart
// proves: 32 pool  reason: its bytes cannot be told apart
#include <stdio.h>
#include <stdlib.h>

struct item {
    long key;
    int counts[4];
    long value;
};

static struct item* items[50];
static volatile int which;

__attribute__((noinline)) static int count_of(const struct item* item, int number) {
    return item->counts[number];
}

int main(void) {
    for (int i = 0; i < 50; ++i) {
        items[i] = malloc(sizeof *items[i]);
        *items[i] = (struct item){i, {i, i * 2, i * 3, i * 5}, i * 7};
    }
    long sum = 0;
    for (int i = 0; i < 50; ++i) {
        which = i & 3;
        sum = sum * 31 + items[i]->key + count_of(items[i], which) + items[i]->value;
    }
    printf("%ld\n", sum);
    return 0;
}
