// Objects given to functions behind one pointer, of which some name no argument: these see none.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;
static long calls;

static long counted() {
    return ++calls;
}

static long valued(int times, struct node* node) {
    node->value += times;
    return node->next != NULL ? node->next->value : node->value;
}

static long (*const table[2])(int, struct node*) = {(long (*)(int, struct node*))counted, valued};
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
        sum = sum * 31 + table[which & 1](3, node) + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
