// voronoi POINTS [SEED]: the triangulation of random points whose dual is their Voronoi diagram (Delaunay),
// by Guibas and Stolfi's halving (1985).
//
// Written afresh after Olden's voronoi (Rogers, Carlisle, Reppy and Hendren 1995). As there, POINTS is halved
// down to 1, so that there are 2^k; all but one are a tree in the order of x, of which a node has three
// numbers and two pointers (40 bytes); an edge is made and deleted as halves are merged; and points and the
// last edges are not released. Differences: an edge is a request of 40 bytes for each direction, so that all
// have the mean size of Li, Mohanty and Kavi's table 3; deleted edges are freed, where the original keeps a
// list of its own; numbers are whole, so that no test is wrong and a processor needs no floating point.
//
// Prints the numbers of points and edges, the sum of the squares of the edges' lengths, and how many edges
// lie at the outside. Ends with status 1 where there are not as many edges as points and outside make.
#include <stdio.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/random.h"
#include "workloads/voronoi/edges.h"

enum { most_points = coordinate_range };

/// The edge that leaves the first of some points counterclockwise around them all, and the one that leaves
/// the last of them clockwise.
struct outside {
    struct edge *first, *last;
};

// ---- the points

/// Somewhere in the column that begins at x.
static struct point* new_point(long x, long width, uint64_t* seed) {
    struct point* made = or_exit(malloc(sizeof *made));
    *made = (struct point){.x = x + (long)random_below(seed, (uint64_t)width),
                           .y = (long)random_below(seed, coordinate_range)};
    made->norm = made->x * made->x + made->y * made->y;
    return made;
}

/// All but the last of so many points, each in a column of its own from x on.
static struct point* build(long size, long x, long width, uint64_t* seed) {
    if (size <= 1) return NULL;
    struct point* made = new_point(x + (size / 2 - 1) * width, width, seed);
    made->left = build(size / 2, x, width, seed);
    made->right = build(size / 2, x + size / 2 * width, width, seed);
    return made;
}

// ---- the triangulation

static bool is_above(const struct edge* base, const struct edge* candidate) {
    return turn_left(end_of(candidate), end_of(base), base->origin);
}

/// The lowest edge that has both parts on one side.
static struct edge* lower_bridge(struct edge* left, struct edge* right, struct outside* both) {
    for (;;) {
        if (turn_left(left->origin, end_of(left), right->origin)) {
            left = next_on_left(left);
        } else if (turn_left(right->origin, left->origin, end_of(right))) {
            right = previous_on_right(right);
        } else {
            break;
        }
    }
    struct edge* base = connect(right->twin, left);
    if (left->origin == both->first->origin) both->first = base->twin;
    if (right->origin == both->last->origin) both->last = base;
    return base;
}

/// The edge from the left end of the base that stays, and on its way deletes those that do not.
static struct edge* left_candidate(const struct edge* base) {
    struct edge* candidate = base->twin->next;
    if (!is_above(base, candidate)) return candidate;
    while (in_circle(end_of(base), base->origin, end_of(candidate), end_of(candidate->next))) {
        struct edge* next = candidate->next;
        delete_edge(candidate);
        candidate = next;
    }
    return candidate;
}

static struct edge* right_candidate(const struct edge* base) {
    struct edge* candidate = base->previous;
    if (!is_above(base, candidate)) return candidate;
    while (in_circle(end_of(base), base->origin, end_of(candidate), end_of(candidate->previous))) {
        struct edge* next = candidate->previous;
        delete_edge(candidate);
        candidate = next;
    }
    return candidate;
}

static struct outside merged(struct outside left, struct outside right) {
    struct outside both = {left.first, right.last};
    struct edge* base = lower_bridge(left.last, right.first, &both);
    for (;;) {
        struct edge *at_left = left_candidate(base), *at_right = right_candidate(base);
        const bool left_is_one = is_above(base, at_left), right_is_one = is_above(base, at_right);
        if (!left_is_one && !right_is_one) return both;
        if (!left_is_one || (right_is_one && in_circle(end_of(at_left), at_left->origin, at_right->origin,
                                                       end_of(at_right)))) {
            base = connect(at_right, base->twin);
        } else {
            base = connect(base->twin, at_left->twin);
        }
    }
}

/// Of the tree's points and the one after them.
static struct outside triangulation(struct point* tree, struct point* after) {
    if (tree->left == NULL) {
        struct edge* edge = new_edge(tree, after);
        return (struct outside){edge, edge->twin};
    }
    const struct outside left = triangulation(tree->left, tree);
    return merged(left, triangulation(tree->right, after));
}

// ---- what comes out

static long outside_length(const struct edge* first) {
    const struct edge* edge = first;
    long length = 0;
    do {
        edge = previous_on_right(edge);
        ++length;
    } while (edge != first);
    return length;
}

struct totals {
    long edges;
    uint64_t squares;
};

static void add(struct totals* totals, const struct edge* edge) {
    const int64_t x = end_of(edge)->x - edge->origin->x, y = end_of(edge)->y - edge->origin->y;
    ++totals->edges;
    totals->squares += (uint64_t)(x * x + y * y);
}

/// Of all edges, which are reached from one.
static struct totals totals_from(struct edge* first, long points) {
    const size_t most_directions = 6 * (size_t)points;
    struct edge** stack = or_exit(calloc(most_directions + 1, sizeof *stack));
    struct totals totals = {0};
    size_t height = 0;
    stack[height++] = first;
    while (height > 0) {
        struct edge* edge = stack[--height];
        if (edge->seen) continue;
        edge->seen = true;
        if (!edge->twin->seen) add(&totals, edge);
        stack[height++] = edge->next;
        stack[height++] = edge->twin;
    }
    free(stack);
    return totals;
}

/// The power of two that halving comes from.
static long halved(long points) {
    long size = 1;
    while (size * 2 <= points) size *= 2;
    return size;
}

int main(int count, char** arguments) {
    const long asked = count == 2 || count == 3 ? atol(arguments[1]) : 0;
    const unsigned long given = count == 3 ? strtoul(arguments[2], NULL, 10) : 1;
    if (asked < 2 || asked > most_points) {
        fprintf(stderr, "usage: voronoi POINTS [SEED] (from 2, at most %d)\n", most_points);
        return 2;
    }
    const long points = halved(asked), width = coordinate_range / points;
    uint64_t seed = random_begin(given);
    struct point* tree = build(points, 0, width, &seed);
    struct point* last = new_point((points - 1) * width, width, &seed);
    const struct outside outside = triangulation(tree, last);
    const long length = outside_length(outside.first);
    const struct totals totals = totals_from(outside.first, points);
    printf("points %ld edges %ld squares %llu outside %ld\n", points, totals.edges,
           (unsigned long long)totals.squares, length);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): nothing frees the points in the original either.
    return points == 2 || totals.edges == 3 * points - 3 - length ? 0 : 1;
}
