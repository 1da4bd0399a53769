// A function that the loader chooses (ifunc): which one it is, nobody sees.
// shows: called_by_loader
// proves: 24 no  reason: other code sees
#include <stdio.h>
#include <stdlib.h>

struct item {
    long a, b, c;
};

struct holder {
    long count;
    struct item* item;
};

static void fill_plainly(struct holder* holder) {
    struct item* item = malloc(sizeof *item);
    item->a = holder->count;
    item->b = 2 * holder->count;
    item->c = 3 * holder->count;
    holder->item = item;
}

static void fill_otherwise(struct holder* holder) {
    struct item* item = malloc(sizeof *item);
    item->a = 5 * holder->count;
    item->b = 7 * holder->count;
    item->c = 9 * holder->count;
    holder->item = item;
}

static volatile int zero;

static void (*choose(void))(struct holder*) {
    return zero == 0 ? fill_plainly : fill_otherwise;
}

static void fill(struct holder*) __attribute__((ifunc("choose")));

int main(void) {
    long sum = 0;
    struct holder holders[8];
    for (int i = 0; i < 8; ++i) {
        holders[i].count = i;
        fill(&holders[i]);
    }
    for (int i = 0; i < 8; ++i) {
        sum = sum * 31 + holders[i].item->a + 10 * holders[i].item->b + 100 * holders[i].item->c;
    }
    printf("%ld\n", sum);
    return 0;
}
