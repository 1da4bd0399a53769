// The exact cover problem as a matrix of circular lists in both directions (Knuth 2000, "Dancing Links").
#ifndef WORKLOADS_COVER_MATRIX_H
#define WORKLOADS_COVER_MATRIX_H

#include <stdint.h>

struct column;

/// A 1 of the matrix, linked with its neighbours in its row and in its column.
struct cell {
    struct cell *left, *right, *up, *down;
    struct column* column;
};

/// The header of a column, itself a cell of the list of columns.
struct column {
    struct cell cell;
    unsigned size;  ///< rows left in the column
};

/// Draws a random matrix, row by row as a file of it would be read, one request per 1 of it. `density` is the
/// probability of a 1. Returns the head of the list of columns; ends the process where memory runs out.
struct column* random_matrix(int rows, int columns, double density, uint64_t seed);

#endif
