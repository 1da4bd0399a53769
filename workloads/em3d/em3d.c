// em3d NODES DEGREE ITERATIONS [SEED]: electromagnetic waves through a three-dimensional body, as a bipartite
// graph of NODES electric and NODES magnetic field nodes, where every node leads to DEGREE others. An
// iteration takes from each electric node's value the weighted values of the magnetic nodes that lead to it,
// and then the other way about. Prints the sum of all values.
//
// Written afresh after Olden's em3d (Carlisle and Rogers 1995; the problem is Culler et al.'s of Split-C
// 1993). As there, a side is a list of nodes (48 bytes) that all have arrays of their own: the nodes they
// lead to, made for one side after the other; then per node pointers to the values that lead to it, and their
// coefficients. The iterations walk nodes and arrays in the order of their requests, and the values in random
// order.
//
// Heap bytes in glibc's malloc, per node of either side: 64 for the node, 8 of the array of values and 8 of
// the table (freed once the graph is made), 8 DEGREE + 8 rounded up to 16 for the nodes led to, and 8 DEGREE
// + 12 on average both for the pointers and for the coefficients: 360 with degree 10. Time grows with NODES
// DEGREE ITERATIONS.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/em3d/graph.h"
#include "workloads/phases.h"

static void compute(struct node* list) {
    for (struct node* at = list; at != NULL; at = at->next) {
        double value = *at->value;
        for (int i = 0; i < at->from_count; ++i) value -= at->coefficients[i] * *at->from_values[i];
        *at->value = value;
    }
}

static double sum(const struct node* list) {
    double total = 0;
    for (const struct node* at = list; at != NULL; at = at->next) total += *at->value;
    return total;
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int nodes = count >= 4 ? atoi(arguments[1]) : 0;
    int degree = count >= 4 ? atoi(arguments[2]) : 0;
    int iterations = count >= 4 ? atoi(arguments[3]) : 0;
    unsigned long seed = count >= 5 ? strtoul(arguments[4], NULL, 10) : 1;
    if (degree < 1 || degree > nodes || iterations < 1 || count > 5) {
        fputs("usage: em3d NODES DEGREE ITERATIONS [SEED] [--times]\n", stderr);
        return 2;
    }
    double began = phase_begin();
    struct graph graph = random_graph((uint32_t)nodes, (uint32_t)degree, seed);
    phase_end("build_time", began);
    began = phase_begin();
    for (int i = 0; i < iterations; ++i) {
        compute(graph.electric);
        compute(graph.magnetic);
    }
    phase_end("compute_time", began);
    printf("electric %.15g\nmagnetic %.15g\n", sum(graph.electric), sum(graph.magnetic));
    return 0;
}
