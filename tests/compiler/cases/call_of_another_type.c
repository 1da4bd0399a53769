// malloc, called as if it took more than it does: such a call is not replaced.
// shows: requested_otherwise
// proves: 24 no  reason: is requested by a function that pools do not replace
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

void* request(size_t bytes, int why) __asm__("malloc");

static struct node* head;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = i % 2 == 0 ? malloc(sizeof *node) : request(sizeof *node, i);
        *node = (struct node){head, i, i * 2};
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
