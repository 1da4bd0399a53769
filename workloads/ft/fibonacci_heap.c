#include "workloads/ft/fibonacci_heap.h"

#include <stddef.h>

#include "workloads/ft/graph.h"
#include "workloads/memory.h"

/// A rank of 92 would need more nodes than 2^63 (the Fibonacci numbers bound it).
enum { ranks = 92 };

static bool is_less(const struct heap_node* one, const struct heap_node* other) {
    return one->item->key < other->item->key;
}

static void make_ring(struct heap_node* node) {
    node->forward = node->backward = node;
}

/// Joins two rings that have no node in common.
static void splice(struct heap_node* one, struct heap_node* other) {
    one->forward->backward = other->backward;
    other->backward->forward = one->forward;
    one->forward = other;
    other->backward = one;
}

static void unlink_node(struct heap_node* node) {
    node->backward->forward = node->forward;
    node->forward->backward = node->backward;
}

static void add_root(struct heap_node** least, struct heap_node* node) {
    node->parent = NULL;
    make_ring(node);
    if (*least == NULL) {
        *least = node;
        return;
    }
    splice(*least, node);
    if (is_less(node, *least)) *least = node;
}

void heap_insert(struct heap_node** least, struct vertex* item) {
    struct heap_node* made = or_exit(malloc(sizeof *made));
    *made = (struct heap_node){.item = item};
    item->node = made;
    add_root(least, made);
}

/// Makes `node` a root.
static void cut(struct heap_node** least, struct heap_node* node) {
    struct heap_node* parent = node->parent;
    if (--parent->rank == 0) {
        parent->child = NULL;
    } else if (parent->child == node) {
        parent->child = node->forward;
    }
    unlink_node(node);
    node->marked = false;
    add_root(least, node);
}

void heap_decreased(struct heap_node** least, struct vertex* item) {
    struct heap_node* node = item->node;
    struct heap_node* parent = node->parent;
    if (parent == NULL) {
        if (is_less(node, *least)) *least = node;
        return;
    }
    if (!is_less(node, parent)) return;
    cut(least, node);
    while (parent->parent != NULL && parent->marked) {
        struct heap_node* above = parent->parent;
        cut(least, parent);
        parent = above;
    }
    if (parent->parent != NULL) parent->marked = true;
}

static void add_child(struct heap_node* parent, struct heap_node* node) {
    node->parent = parent;
    node->marked = false;
    make_ring(node);
    if (parent->child == NULL) {
        parent->child = node;
    } else {
        splice(parent->child, node);
    }
    ++parent->rank;
}

/// Puts `root`, of no ring, among the roots of different ranks, joined with those whose rank it has.
static void place_by_rank(struct heap_node** by_rank, struct heap_node* root) {
    for (struct heap_node* same = by_rank[root->rank]; same != NULL; same = by_rank[root->rank]) {
        by_rank[root->rank] = NULL;
        if (is_less(same, root)) {
            add_child(same, root);
            root = same;
        } else {
            add_child(root, same);
        }
    }
    by_rank[root->rank] = root;
}

/// Takes the ring of `first`, NULL for none, apart into roots of different ranks.
static void take_apart(struct heap_node** by_rank, struct heap_node* first) {
    if (first == NULL) return;
    struct heap_node* at = first;
    first->backward->forward = NULL;
    while (at != NULL) {
        struct heap_node* next = at->forward;
        at->parent = NULL;
        place_by_rank(by_rank, at);
        at = next;
    }
}

struct vertex* heap_delete_least(struct heap_node** least) {
    struct heap_node* by_rank[ranks] = {NULL};
    struct heap_node* taken = *least;
    struct vertex* item = taken->item;
    take_apart(by_rank, taken->child);
    if (taken->forward != taken) {
        struct heap_node* others = taken->forward;
        unlink_node(taken);
        take_apart(by_rank, others);
    }
    *least = NULL;
    for (int rank = 0; rank < ranks; ++rank) {
        if (by_rank[rank] != NULL) add_root(least, by_rank[rank]);
    }
    item->node = NULL;
    free(taken);
    return item;
}
