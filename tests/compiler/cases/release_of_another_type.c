// free, called as if it took more than it does: such a call is not replaced.
// shows: released_otherwise
// proves: 24 no  reason: is released by a function that pools do not replace
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

__attribute__((noinline)) void drop(struct node* node) {
    free(node);
}

void release(void* object, int why) __asm__("free");

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, i * 2};
        head = node;
    }
    long sum = 0;
    while (head != NULL) {
        struct node* node = head;
        head = node->next;
        sum = sum * 31 + node->value + node->mark;
        if (sum % 2 == 0) {
            release(node, 1);
        } else {
            drop(node);
        }
    }
    printf("%ld\n", sum);
    return 0;
}
