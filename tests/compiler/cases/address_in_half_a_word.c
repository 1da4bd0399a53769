// A program at low addresses keeps the lower halves of its pointers, which are all of them.
// shows: calculated_address_leads
// proves: 24 no  reason: a calculated address may lead to it
// options: -fno-pie
// link: -no-pie
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    uint32_t next;
    long value, weight;
};

static struct node* at(uint32_t half) {
    return (struct node*)(uintptr_t)half;
}

int main(void) {
    uint32_t first = 0;
    for (long i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        if ((uintptr_t)node >> 32 != 0) {
            puts("far away");
            return 0;
        }
        *node = (struct node){first, i, 3 * i};
        first = (uint32_t)(uintptr_t)node;
    }
    long sum = 0;
    while (first != 0) {
        struct node* node = at(first);
        first = node->next;
        sum = 3 * sum + node->value + node->weight;
        free(node);
    }
    printf("%ld\n", sum);
    return 0;
}
