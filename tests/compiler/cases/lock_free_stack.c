// Pointers to objects by compare-and-exchange: what was there before points where the memory points.
// proves: 24 pool  reason: used as a number
#include <stdio.h>
#include <stdlib.h>

struct node {
    long value;
    long weight;
    struct node* next;
};

static struct node* top;

__attribute__((noinline)) static void push(struct node* node) {
    struct node* seen = __atomic_load_n(&top, __ATOMIC_RELAXED);
    do {
        node->next = seen;
    } while (!__atomic_compare_exchange_n(&top, &seen, node, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

__attribute__((noinline)) static struct node* swap_top(struct node* with) {
    struct node* seen = NULL;
    while (!__atomic_compare_exchange_n(&top, &seen, with, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
    return seen;
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->value = i;
        node->weight = i * i;
        push(node);
    }
    long sum = 0;
    for (struct node* node = swap_top(NULL); node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->weight;
    }
    printf("%ld\n", sum);
    return 0;
}
