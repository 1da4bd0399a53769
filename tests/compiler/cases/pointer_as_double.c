// A union of a number with a fraction and a pointer, copied as the number: the pointer goes with it.
// proves: 24 split
// graph: from is global, array 0..128 by 8
// graph: to is global, array 0..128 by 8
// graph: node is heap 24
// graph: from+0 -> node+0
// graph: to+0 -> node+0
#include <stdio.h>
#include <stdlib.h>

struct node {
    long a, b, c;
};

union slot {
    double number;
    struct node* node;
};

static union slot from[16], to[16];

__attribute__((noinline)) static void carry(int at) {
    to[at & 15].number = from[15 - (at & 15)].number;
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 16; ++i) {
        struct node* node = malloc(sizeof *node);
        node->a = i;
        node->b = 2 * i;
        node->c = 3 * i;
        from[i].node = node;
    }
    for (int i = 0; i < 16; ++i) {
        carry(i);
    }
    for (int i = 0; i < 16; ++i) {
        sum = sum * 31 + to[i].node->a + 10 * to[i].node->b + 100 * to[i].node->c;
    }
    for (int i = 0; i < 16; ++i) {
        sum = sum * 31 + from[i].node->b;
    }
    printf("%ld\n", sum);
    return 0;
}
