// Fields are moved to where the next ones lie, over each other.
// shows: moved_within
// proves: 56 pool  reason: a part of it is moved to another
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node* next;
    long a, b, c, d;
    int mark;
    long last;
};

static struct node* head;

__attribute__((noinline)) static void shift(struct node* node) {
    memmove(&node->b, &node->a, 3 * sizeof(long));
}

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, 2 * i, 3 * i, 4 * i, i, 5 * i};
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        shift(node);
        sum = sum * 31 + node->a + 3 * node->b + 5 * node->c + 7 * node->d + node->mark + node->last;
    }
    printf("%ld\n", sum);
    return 0;
}
