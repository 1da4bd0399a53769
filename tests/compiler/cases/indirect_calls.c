// Functions that are called through a table, with objects as arguments and results.
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

static struct node* head;

static struct node* first(struct node* node) {
    node->mark += 1;
    return node;
}

static struct node* second(struct node* node) {
    node->value += 7;
    return node->next != NULL ? node->next : node;
}

static struct node* (*const table[2])(struct node*) = {first, second};
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
        sum = sum * 31 + table[which & 1](node)->value + node->mark;
    }
    printf("%ld\n", sum);
    return 0;
}
