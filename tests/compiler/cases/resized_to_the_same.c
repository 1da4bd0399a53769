// realloc to the size that an object has: it is malloc's afterwards, or nobody knows.
// shows: resized
// and: requested_in_sizes
// proves: 32 pool  reason: made larger or smaller
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
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 2, i * 3};
        if (i % 5 == 0) {
            node = realloc(node, sizeof *node);
        }
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
