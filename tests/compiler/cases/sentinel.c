// A ring whose first node is a variable, and all others objects of the heap.
// shows: maybe_variable
// proves: 32 pool  reason: a pointer to it may also point to a variable
// graph: node is heap 32, global
// graph: node+0 -> node+0
// graph: node+8 -> node+0
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next, *prev;
    long value;
    int mark;
};

static struct node ring = {&ring, &ring, 7, 3};

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        node->value = i;
        node->mark = i * 2;
        node->next = &ring;
        node->prev = ring.prev;
        ring.prev->next = node;
        ring.prev = node;
    }
    long sum = 0;
    for (struct node* node = ring.next; node != &ring; node = node->next) {
        sum = sum * 31 + node->value + node->prev->mark;
    }
    while (ring.next != &ring) {
        struct node* node = ring.next;
        node->prev->next = node->next;
        node->next->prev = node->prev;
        free(node);
    }
    printf("%ld %ld\n", sum, ring.value);
    return 0;
}
