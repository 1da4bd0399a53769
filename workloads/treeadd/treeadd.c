// treeadd LEVELS PASSES: the values of a balanced binary tree are added up, by recursion, PASSES times.
//
// Written afresh after Olden's treeadd (Rogers, Carlisle, Reppy and Hendren 1995, "Supporting dynamic data
// structures on distributed-memory machines"; Carlisle's thesis 1996). As there, a node is an int and two
// pointers (24 bytes), the tree is built depth first, node before left before right subtree, one malloc per
// node, and it is added up in the same order, so that the walk runs through memory as the allocator gave it
// out. Every value is 1: the sum is the number of nodes.
//
// Heap bytes: 2^LEVELS - 1 nodes of 32 bytes in glibc's malloc (24 and a header of 8).
#include <stdio.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/phases.h"
#include "workloads/wide_pointer.h"

enum { most_levels = 30 };

struct tree {
    int value;
    WIDE_POINTER struct tree* left;
    WIDE_POINTER struct tree* right;
};

static struct tree* build(int levels) {
    if (levels == 0) return NULL;
    struct tree* made = or_exit(malloc(sizeof *made));
    struct tree* left = build(levels - 1);
    struct tree* right = build(levels - 1);
    made->value = 1;
    made->left = left;
    made->right = right;
    return made;
}

static int add(const struct tree* at) {
    if (at == NULL) return 0;
    int left = add(at->left);
    int right = add(at->right);
    return at->value + left + right;
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int levels = count == 3 ? atoi(arguments[1]) : 0;
    int passes = count == 3 ? atoi(arguments[2]) : 0;
    if (levels < 1 || levels > most_levels || passes < 1) {
        fputs("usage: treeadd LEVELS PASSES [--times]\n", stderr);
        return 2;
    }
    double began = phase_begin();
    struct tree* root = build(levels);
    phase_end("build_time", began);
    began = phase_begin();
    // Every pass is printed, as in the original; the compiler would add only once otherwise.
    for (int pass = 0; pass < passes; ++pass) printf("sum %d\n", add(root));
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): nothing frees the tree in the original either.
    phase_end("add_time", began);
    return 0;
}
