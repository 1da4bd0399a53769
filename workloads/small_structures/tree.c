// A binary tree as level as it can be, gone through depth first: the i-th node in that order is order[i].
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/small_structures/structure.h"

struct node {
    struct node *left, *right;
    uint64_t value, weight, height, age;
    uint64_t unused[2];
};

struct structure {
    struct node* root;
};

/// The tree of the nodes order[0] to order[count - 1], the first of them its root.
static struct node* link_below(struct node** nodes, const size_t* order, size_t count) {
    if (count == 0) return NULL;
    struct node* root = nodes[order[0]];
    size_t left = (count - 1) / 2;
    root->left = link_below(nodes, order + 1, left);
    root->right = link_below(nodes, order + 1 + left, count - 1 - left);
    return root;
}

struct structure* structure_make(const size_t* order, size_t count) {
    struct node** nodes = or_exit(malloc(count * sizeof *nodes));
    for (size_t i = 0; i < count; ++i) {
        nodes[i] = or_exit(malloc(sizeof *nodes[i]));
        *nodes[i] = (struct node){NULL, NULL, i, i + 1, i + 2, i + 3, {i, i}};
    }
    struct structure* made = or_exit(malloc(sizeof *made));
    made->root = link_below(nodes, order, count);
    free(nodes);
    return made;
}

static void release_below(struct node* at) {
    if (at == NULL) return;
    release_below(at->left);
    release_below(at->right);
    free(at);
}

void structure_release(struct structure* structure) {
    release_below(structure->root);
    free(structure);
}

static uint64_t read_one_below(const struct node* at) {
    return at == NULL ? 0 : at->value + read_one_below(at->left) + read_one_below(at->right);
}

static uint64_t read_several_below(const struct node* at) {
    if (at == NULL) return 0;
    uint64_t sum = at->value + at->weight + at->height + at->age;
    return sum + read_several_below(at->left) + read_several_below(at->right);
}

static uint64_t write_below(struct node* at) {
    if (at == NULL) return 0;
    uint64_t sum = at->value++;
    return sum + write_below(at->left) + write_below(at->right);
}

uint64_t structure_read_one(const struct structure* structure) {
    return read_one_below(structure->root);
}

uint64_t structure_read_several(const struct structure* structure) {
    return read_several_below(structure->root);
}

uint64_t structure_write(struct structure* structure) {
    return write_below(structure->root);
}
