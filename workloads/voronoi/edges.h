// voronoi's points, and the edges between them (Guibas and Stolfi 1985, "Primitives for the manipulation of
// general subdivisions"). An edge is two objects, one for each direction.
#ifndef WORKLOADS_VORONOI_EDGES_H
#define WORKLOADS_VORONOI_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/wide_pointer.h"

/// Of coordinates, so that all that is computed of them is exact in 64 bits.
enum { coordinate_range = 1 << 15 };

/// 40 bytes.
struct point {
    int64_t x, y;
    int64_t norm;  ///< x^2 + y^2
    WIDE_POINTER struct point* left;
    WIDE_POINTER struct point* right;
};

/// 40 bytes.
struct edge {
    WIDE_POINTER struct point* origin;
    WIDE_POINTER struct edge* twin;      ///< the same in the other direction
    WIDE_POINTER struct edge* next;      ///< of the same origin, counterclockwise
    WIDE_POINTER struct edge* previous;  ///< clockwise
    WIDE_POINTER bool seen;
};

static inline struct point* end_of(const struct edge* edge) {
    return edge->twin->origin;
}

/// The next edge around what lies on the left of this one, counterclockwise.
static inline struct edge* next_on_left(const struct edge* edge) {
    return edge->twin->previous;
}

/// The one before around what lies on the right, clockwise.
static inline struct edge* previous_on_right(const struct edge* edge) {
    return edge->twin->next;
}

/// Alone. Ends the process where memory runs out.
struct edge* new_edge(struct point* from, struct point* to);

/// A new edge from the end of one to the origin of another, with the same on its left as both.
struct edge* connect(struct edge* from, struct edge* to);

/// Takes an edge out, in both directions, and frees it.
void delete_edge(struct edge* edge);

/// Whether the three turn left.
bool turn_left(const struct point* a, const struct point* b, const struct point* c);

/// Whether d lies inside of the circle through the three, which turn left.
bool in_circle(const struct point* a, const struct point* b, const struct point* c, const struct point* d);

#endif
