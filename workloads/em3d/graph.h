// em3d's bipartite graph of electric and magnetic field nodes, and how it is made.
#ifndef WORKLOADS_EM3D_GRAPH_H
#define WORKLOADS_EM3D_GRAPH_H

#include <stdint.h>

/// A node of the field; 48 bytes. Its value stands in an array of the values of its side.
struct node {
    double* value;
    struct node* next;
    struct node** to_nodes;  ///< as many nodes of the other side as the graph's degree
    double** from_values;    ///< the values of the nodes that have this one among their to_nodes
    double* coefficients;    ///< one per from_values
    int from_count;
    int from_length;  ///< while the graph is made: how many of from_values are filled
};

/// The lists of both sides.
struct graph {
    struct node* electric;
    struct node* magnetic;
};

/// Makes `nodes` on each side, each with `degree` different random nodes of the other side, for
/// 1 <= degree <= nodes. Ends the process where memory runs out.
struct graph random_graph(uint32_t nodes, uint32_t degree, uint64_t seed);

#endif
