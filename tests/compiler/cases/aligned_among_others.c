// One list of objects from malloc and of as large ones from aligned_alloc, which do not come from pools: the
// fields of those lie together, so all do.
// shows: requested_in_sizes
// proves: 32 pool  reason: is requested by a function that pools do not replace, or in sizes
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
    long weight;
};

static struct node* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = i % 3 == 0 ? aligned_alloc(16, 32) : malloc(32);
        *node = (struct node){head, i, i * 2, i * 3};
        head = node;
    }
    long sum = 0;
    while (head != NULL) {
        struct node* node = head;
        head = node->next;
        sum = sum * 31 + node->value + node->mark + node->weight;
        free(node);
    }
    printf("%ld\n", sum);
    return 0;
}
