// traverse DEPTH WALKS: a mismatch between allocation order and use, made on purpose (Cyll 2004,
// section 5.1). A binary tree of DEPTH levels is built depth first and left-most, one malloc per node; then
// it is walked depth first and right-most WALKS times, and every walk adds 1 to each of a node's 20 integers.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/annotations.h"
#include "workloads/phases.h"

enum { values_per_node = 20, deepest = 30 };

struct node {
    struct node* left;
    struct node* right;
    int values[values_per_node];
};

static struct node* build(unsigned depth, struct node* parent) {
    if (depth == 0) return NULL;
    struct node* made = ccmalloc(sizeof *made, parent);
    if (made == NULL) {
        fputs("traverse: out of memory\n", stderr);
        exit(1);
    }
    ping(made, 1);
    for (int i = 0; i < values_per_node; ++i) made->values[i] = (int)depth;
    made->left = build(depth - 1, made);
    made->right = build(depth - 1, made);
    return made;
}

/// Adds 1 to every integer below `at`; returns the sum of one integer per node, so that no work is dead.
static unsigned long walk(struct node* at) {
    if (at == NULL) return 0;
    ping(at, 1);
    for (int i = 0; i < values_per_node; ++i) at->values[i] += 1;
    unsigned long sum = (unsigned long)at->values[values_per_node - 1];
    sum += walk(at->right);
    return sum + walk(at->left);
}

int main(int count, char** arguments) {
    malloc_init(arguments[0]);
    count = phases_from_arguments(count, arguments);
    int depth = count == 3 ? atoi(arguments[1]) : 0;
    int walks = count == 3 ? atoi(arguments[2]) : 0;
    if (depth < 1 || depth > deepest || walks < 1) {
        fputs("usage: traverse DEPTH WALKS [--times]\n", stderr);
        return 2;
    }
    struct node* root = build((unsigned)depth, NULL);
    unsigned long checksum = 0;
    double began = phase_begin();
    for (int i = 0; i < walks; ++i) checksum += walk(root);
    phase_end("walk_time", began);
    printf("checksum %lu\n", checksum);
    return 0;
}
