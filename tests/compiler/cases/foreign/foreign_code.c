#include <stdlib.h>

struct node {
    struct node* next;
    long value;
    int mark;
    long weight;
};

static struct node* kept;

struct node* foreign_node(long value) {
    struct node* node = calloc(1, sizeof *node);
    node->value = value;
    return node;
}

void foreign_keep(struct node* node) {
    kept = node;
    kept->mark += 5;
}

struct node* foreign_kept(void) {
    return kept;
}

void foreign_release(struct node* node) {
    free(node);
}
