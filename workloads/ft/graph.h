// A connected random graph in adjacency lists, as Ptrdist's ft makes it (Austin, Breach and Sohi 1994):
// vertices in a ring, each with a list of edges, and two records per edge, one in the list of either end.
#ifndef WORKLOADS_FT_GRAPH_H
#define WORKLOADS_FT_GRAPH_H

#include <stdint.h>

struct edge;
struct heap_node;

/// 48 bytes.
struct vertex {
    int id;
    struct edge* edges;
    struct vertex* next;  ///< the ring of all vertices
    int key;
    struct edge* chosen;     ///< the edge that joins this vertex to the tree
    struct heap_node* node;  ///< where the vertex waits in the heap, or NULL
};

/// 32 bytes.
struct edge {
    int weight;
    struct vertex* source;
    struct vertex* target;
    struct edge* next;  ///< the list of `source`
};

enum { weights = 1000000 };

/// Makes a graph of `vertices` >= 2 vertices and `edges` edges, at least vertices - 1 and at most one for
/// each pair. One request per vertex and two per edge. First a tree: every new vertex is joined to a random
/// earlier one. Then random pairs, so that a vertex's list holds edges from all over the heap. An edge is put
/// at the front of both lists; a pair is drawn again where the list of its first vertex has it already. The
/// weights lie between 0 and weights - 1. The original finds its random vertices by walking the ring, which
/// is quadratic: here an array of pointers, freed at the end, finds them. Returns the first vertex; the graph
/// is never freed.
struct vertex* random_graph(uint32_t vertices, uint64_t edges, uint64_t seed);

#endif
