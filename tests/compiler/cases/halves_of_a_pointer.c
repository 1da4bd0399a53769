// A pointer that is stored as two halves, and read as one.
// shows: calculated_address_leads
// and: read_in_parts
// proves: 24 no  reason: its address is read in parts
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    long value, weight;
    int mark;
};

union word {
    struct node* node;
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
        struct node* node = malloc(sizeof *node);
        node->value = i;
        node->weight = 2 * i;
        node->mark = 3 * i;
        from[i].node = node;
        carry(i);
    }
    for (int i = 0; i < 16; ++i) {
        sum = sum * 31 + to[i].node->value + 10 * to[i].node->weight + 100 * to[i].node->mark;
        sum += from[i].node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
