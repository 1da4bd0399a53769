// Vectors as arrays of coordinates; pointers to them lead into bodies and cells.
#ifndef WORKLOADS_BH_VECTOR_H
#define WORKLOADS_BH_VECTOR_H

#include "workloads/bh/nodes.h"

static inline void set_zero(double* vector) {
    for (int i = 0; i < dimensions; ++i) vector[i] = 0;
}

static inline void copy(double* to, const double* from) {
    for (int i = 0; i < dimensions; ++i) to[i] = from[i];
}

static inline void scale(double* vector, double by) {
    for (int i = 0; i < dimensions; ++i) vector[i] *= by;
}

/// Adds `times` the other vector.
static inline void add_times(double* to, double times, const double* other) {
    for (int i = 0; i < dimensions; ++i) to[i] += times * other[i];
}

static inline void subtract(double* from, const double* other) {
    for (int i = 0; i < dimensions; ++i) from[i] -= other[i];
}

static inline double square(const double* vector) {
    double sum = 0;
    for (int i = 0; i < dimensions; ++i) sum += vector[i] * vector[i];
    return sum;
}

#endif
