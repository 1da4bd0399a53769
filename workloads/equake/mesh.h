// A block of ground cut into tetrahedra, and its stiffness matrix, in the arrays of SPEC CPU2000's equake
// (Bao et al. 1998; O'Hallaron's Archimedes kernel): every row of every array is a request of its own.
#ifndef WORKLOADS_EQUAKE_MESH_H
#define WORKLOADS_EQUAKE_MESH_H

#include "workloads/memory.h"

enum { axes = 3, corners = 4 };

/// One block of the symmetric matrix, 3 pointers to rows of 3 doubles.
typedef double** block;

struct mesh {
    int nodes;
    int elements;
    int blocks;         ///< of the matrix on and above its diagonal
    double** position;  ///< [nodes][axes], in metres
    int** vertex;       ///< [elements][corners]
    int* column;        ///< [blocks], ascending in each row; a row begins with its diagonal
    int* row;           ///< [nodes + 1], where each row begins in `column`
};

/// `count` rows of 3 doubles, not filled. Inlined, as the original has a request of its own for each array.
static inline __attribute__((always_inline)) double** new_rows(int count) {
    double** rows = or_exit(malloc((size_t)count * sizeof *rows));
    for (int i = 0; i < count; ++i) rows[i] = or_exit(malloc(axes * sizeof **rows));
    return rows;
}

/// Makes a mesh of `sides[0]` by `sides[1]` by `sides[2]` nodes, at least 2 each, 6 tetrahedra between 8
/// nodes. The nodes are numbered along the first axis, then the second; each stands up to 0.1 of the distance
/// off the grid. Requests in the original's order: positions, vertices, columns, rows. Never freed.
struct mesh make_mesh(const int sides[axes], double distance);

#endif
