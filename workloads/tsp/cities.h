// tsp's cities: a binary tree over a square that is halved by turns across and along, and, later, a tour.
#ifndef WORKLOADS_TSP_CITIES_H
#define WORKLOADS_TSP_CITIES_H

#include <stdint.h>

/// 56 bytes.
struct city {
    int size;  ///< cities at and below this one
    double x, y;
    struct city *left, *right;  ///< of the tree
    struct city *next, *prev;   ///< of the tour
};

/// A tree of `count` random cities in the unit square, the same for the same seed; every city lies on the
/// line that divides those on its left from those on its right. Ends the process where memory runs out.
struct city* random_cities(int count, uint64_t seed);

#endif
