// Objects that end in as many elements as each needs: their length is known when they are requested, and no
// earlier. What they point to is not touched by that.
// proves: 0 pool  reason: in sizes that differ
// proves: 24 split
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
};

struct row {
    struct row* next;
    unsigned count;
    struct node* nodes[];
};

static struct row* rows;
static struct node* nodes;

__attribute__((noinline)) static struct row* new_row(unsigned count) {
    struct row* row = malloc(sizeof *row + count * sizeof row->nodes[0]);
    row->count = count;
    for (unsigned i = 0; i < count; ++i) {
        struct node* node = malloc(sizeof *node);
        *node = (struct node){nodes, (long)i * count, (int)i};
        nodes = node;
        row->nodes[i] = node;
    }
    return row;
}

int main(void) {
    for (unsigned i = 1; i < 20; ++i) {
        struct row* row = new_row(i);
        row->next = rows;
        rows = row;
    }
    long sum = 0;
    for (struct row* row = rows; row != NULL; row = row->next) {
        sum = sum * 31 + row->nodes[row->count - 1]->value + row->nodes[row->count / 2]->mark;
    }
    for (struct node* node = nodes; node != NULL; node = node->next) {
        sum = sum * 31 + node->value + node->mark;
    }
    while (rows != NULL) {
        struct row* row = rows;
        rows = row->next;
        free(row);
    }
    printf("%ld\n", sum);
    return 0;
}
