// A Fibonacci heap of vertices by their keys (Fredman and Tarjan 1987). One request per vertex that waits in
// it.
#ifndef WORKLOADS_FT_FIBONACCI_HEAP_H
#define WORKLOADS_FT_FIBONACCI_HEAP_H

#include <stdbool.h>

struct vertex;

/// 48 bytes. Siblings form a ring in both directions; so do the roots.
struct heap_node {
    struct vertex* item;
    struct heap_node* parent;
    struct heap_node* child;
    struct heap_node* forward;
    struct heap_node* backward;
    int rank;     ///< number of children
    bool marked;  ///< has lost a child since it became one itself
};

/// Adds `item` with the key it has to the heap whose root of least key is `*least`, NULL where it is empty.
void heap_insert(struct heap_node** least, struct vertex* item);

/// Restores the order after the key of `item`, which is in the heap, was lowered.
void heap_decreased(struct heap_node** least, struct vertex* item);

/// Removes and returns the vertex of least key, from a heap that is not empty.
struct vertex* heap_delete_least(struct heap_node** least);

#endif
