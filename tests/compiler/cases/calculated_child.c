// What is stored through a calculated address is found by the plain one.
// shows: calculated_from_addresses
// shows: address_calculated
// proves: 24 no
// proves: 24 split
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

static struct parent* parents[8];
static volatile uintptr_t mask = 0x5555;

int main(void) {
    long sum = 0;
    for (int i = 0; i < 8; ++i) {
        parents[i] = malloc(sizeof *parents[i]);
        parents[i]->key = i;
        parents[i]->child = NULL;
        if (i % 2 == 0) {
            parents[i]->child = malloc(sizeof(struct child));
            parents[i]->child->a = 1;
            parents[i]->child->b = 2;
            parents[i]->child->c = 3;
        }
    }
    for (int i = 1; i < 8; i += 2) {
        uintptr_t hidden = (uintptr_t)parents[i] ^ mask;
        struct parent* found = (struct parent*)(hidden ^ mask);
        found->child = malloc(sizeof(struct child));
        found->child->a = 4;
        found->child->b = 5;
        found->child->c = 6;
    }
    for (int i = 0; i < 8; ++i) {
        sum = sum * 31 + parents[i]->child->a + 10 * parents[i]->child->b + 100 * parents[i]->child->c;
    }
    printf("%ld\n", sum);
    return 0;
}
