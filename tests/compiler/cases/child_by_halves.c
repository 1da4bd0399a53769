// What is stored through a pointer that was put together from two halves is found by the whole one.
// proves: 24 no  reason: other code sees
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct child {
    long a, b, c;
};

struct parent {
    long key;
    struct child* child;
};

union word {
    struct parent* parent;
    volatile uint32_t halves[2];
};

static union word from[16], to[16];

__attribute__((noinline)) static void carry(int at) {
    to[at].halves[0] = from[at].halves[0];
    to[at].halves[1] = from[at].halves[1];
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 16; ++i) {
        from[i].parent = malloc(sizeof(struct parent));
        from[i].parent->key = i;
        from[i].parent->child = NULL;
        carry(i);
    }
    for (int i = 0; i < 16; ++i) {
        struct child* child = malloc(sizeof *child);
        child->a = i;
        child->b = 2 * i;
        child->c = 3 * i;
        to[i].parent->child = child;
    }
    for (int i = 0; i < 16; ++i) {
        const struct child* child = from[i].parent->child;
        sum = sum * 31 + child->a + 10 * child->b + 100 * child->c;
    }
    printf("%ld\n", sum);
    return 0;
}
