// ft VERTICES EDGES [SEED]: the minimum spanning tree of a random graph by Prim's algorithm with a Fibonacci
// heap, as Ptrdist's ft (Austin, Breach and Sohi 1994; Zhao, Rabbah and Wong measure it). Phases: the graph
// is made in random order (graph.h); then every vertex leaves the heap once, its edge list is walked front to
// back, and the vertex at each edge's other end is looked at. Prints the weight of the tree.
//
// Requests: per vertex 48 bytes, per edge 2 of 32 bytes, per vertex in the heap 48 bytes, in the heap's
// lifetime as many as vertices. Bytes of the C library's heap: 64 VERTICES + 96 EDGES, and while the tree
// grows at most 64 VERTICES more (some 40 VERTICES with 5 edges per vertex).
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/ft/fibonacci_heap.h"
#include "workloads/ft/graph.h"
#include "workloads/phases.h"

enum { in_tree = INT_MIN, unseen = INT_MAX };

/// Offers the edges of `vertex`, which is in the tree, to the vertices outside.
static void offer_edges(struct heap_node** heap, struct vertex* vertex) {
    for (struct edge* at = vertex->edges; at != NULL; at = at->next) {
        struct vertex* target = at->target;
        if (at->weight >= target->key) continue;
        target->key = at->weight;
        target->chosen = at;
        if (target->node == NULL) {
            heap_insert(heap, target);
        } else {
            heap_decreased(heap, target);
        }
    }
}

/// Chooses for every vertex but the first the edge that joins it to the tree.
static void grow_tree(struct vertex* first) {
    struct heap_node* heap = NULL;
    struct vertex* at = first;
    do {
        at->key = unseen;
        at = at->next;
    } while (at != first);
    first->key = 0;
    heap_insert(&heap, first);
    while (heap != NULL) {
        struct vertex* vertex = heap_delete_least(&heap);
        vertex->key = in_tree;
        offer_edges(&heap, vertex);
    }
}

static unsigned long tree_weight(const struct vertex* first) {
    unsigned long sum = 0;
    for (const struct vertex* at = first->next; at != first; at = at->next) {
        sum += (unsigned long)at->chosen->weight;
    }
    return sum;
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    long vertices = count >= 3 ? atol(arguments[1]) : 0;
    long edges = count >= 3 ? atol(arguments[2]) : 0;
    unsigned long seed = count >= 4 ? strtoul(arguments[3], NULL, 10) : 1;
    if (vertices < 2 || vertices > INT_MAX || edges < vertices - 1 || edges > vertices * (vertices - 1) / 2 ||
        count > 4) {
        fputs("usage: ft VERTICES EDGES [SEED] [--times]\n", stderr);
        return 2;
    }
    double began = phase_begin();
    struct vertex* graph = random_graph((uint32_t)vertices, (uint64_t)edges, seed);
    phase_end("build_time", began);
    began = phase_begin();
    grow_tree(graph);
    phase_end("tree_time", began);
    printf("weight %lu\n", tree_weight(graph));
    return 0;
}
