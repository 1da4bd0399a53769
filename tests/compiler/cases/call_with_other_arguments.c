// An object given to a function that takes it in another place than the call puts it.
// shows: unnamed_argument
// proves: 24 no  reason: is an argument that has no name
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

static long valued(struct node* node) {
    node->value += 3;
    return node->next != NULL ? node->next->value : node->value;
}

static long marked(double share, struct node* node) {
    return share > 0.5 ? node->mark : node->value;
}

static long (*const table[2])(double, struct node*) = {(long (*)(double, struct node*))valued, marked};
static volatile int which;

int main(void) {
    for (int i = 0; i < 100; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){head, i, 2 * i};
        head = node;
    }
    long sum = 0;
    for (struct node* node = head; node != NULL; node = node->next) {
        which = which + 1;
        sum = sum * 31 + table[which & 1](0.25, node) + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
