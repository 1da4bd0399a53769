#include "workloads/voronoi/edges.h"

#include <stdlib.h>

#include "workloads/memory.h"

static struct edge* new_direction(struct point* origin) {
    struct edge* made = or_exit(malloc(sizeof *made));
    *made = (struct edge){.origin = origin, .next = made, .previous = made};
    return made;
}

struct edge* new_edge(struct point* from, struct point* to) {
    struct edge *made = new_direction(from), *twin = new_direction(to);
    made->twin = twin;
    twin->twin = made;
    return made;
}

/// Joins the rings around two origins, or parts the ring that both are in.
static void splice(struct edge* one, struct edge* other) {
    struct edge *after_one = one->next, *after_other = other->next;
    one->next = after_other;
    after_other->previous = one;
    other->next = after_one;
    after_one->previous = other;
}

struct edge* connect(struct edge* from, struct edge* to) {
    struct edge* made = new_edge(end_of(from), to->origin);
    splice(made, next_on_left(from));
    splice(made->twin, to);
    return made;
}

void delete_edge(struct edge* edge) {
    splice(edge, edge->previous);
    splice(edge->twin, edge->twin->previous);
    free(edge->twin);
    free(edge);
}

/// Twice the area of the triangle of two vectors, at most the square of the coordinates' range.
static int32_t cross(int32_t x, int32_t y, int32_t other_x, int32_t other_y) {
    return (int32_t)((int64_t)x * other_y - (int64_t)y * other_x);
}

bool turn_left(const struct point* a, const struct point* b, const struct point* c) {
    return cross((int32_t)(b->x - a->x), (int32_t)(b->y - a->y), (int32_t)(c->x - a->x),
                 (int32_t)(c->y - a->y)) > 0;
}

bool in_circle(const struct point* a, const struct point* b, const struct point* c, const struct point* d) {
    const int32_t ax = (int32_t)(a->x - d->x), ay = (int32_t)(a->y - d->y);
    const int32_t bx = (int32_t)(b->x - d->x), by = (int32_t)(b->y - d->y);
    const int32_t cx = (int32_t)(c->x - d->x), cy = (int32_t)(c->y - d->y);
    return (a->norm - d->norm) * cross(bx, by, cx, cy) + (b->norm - d->norm) * cross(cx, cy, ax, ay) +
               (c->norm - d->norm) * cross(ax, ay, bx, by) >
           0;
}
