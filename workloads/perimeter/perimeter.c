// perimeter LEVELS: how long the border of a ring is, in a picture of 2^LEVELS by 2^LEVELS points that is
// kept as a tree of quadrants (Samet 1981, "Computing perimeters of regions in images represented by
// quadtrees").
//
// Written afresh after Olden's perimeter (Rogers, Carlisle, Reppy and Hendren 1995). As there, a node has a
// color, its place in its parent, the parent and four children (48 bytes), one malloc each, before those
// below it; the ring is between circles of a half and a quarter of the picture's width; a leaf is of one
// color or a point; each black leaf looks for what lies on its four sides by way of its ancestors; and
// nothing is released.
//
// Prints the number of nodes and the perimeter in points.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/wide_pointer.h"

enum { most_levels = 15, quadrants = 4 };

enum color { black, white, grey };

/// Of a quadrant's number: which half of its parent it lies in.
enum { east = 1, south = 2 };

struct node {
    enum color color;
    int quadrant;
    WIDE_POINTER struct node* parent;
    struct {
        WIDE_POINTER struct node* node;
    } child[quadrants];
};

/// A square of the picture, whose middle is at 0. Coordinates are of corners, twice as fine as points.
struct square {
    long x, y, width;
};

static struct square quadrant_of(const struct square* square, int quadrant) {
    const long half = square->width / 2;
    return (struct square){square->x + ((quadrant & east) != 0 ? half : 0),
                           square->y + ((quadrant & south) != 0 ? half : 0), half};
}

// ---- the picture

static int64_t squared(long number) {
    return (int64_t)number * number;
}

/// Of the stretch from `begin` on, the place that is nearest to 0 or farthest from it.
static long nearest(long begin, long width) {
    return begin > 0 ? begin : begin + width < 0 ? begin + width : 0;
}
static long farthest(long begin, long width) {
    return labs(begin) > labs(begin + width) ? begin : begin + width;
}

/// Grey where the square has parts of both colors.
static enum color color_of(const struct square* square, long picture) {
    const int64_t inner = squared(picture / 4), outer = squared(picture / 2);
    const int64_t least =
        squared(nearest(square->x, square->width)) + squared(nearest(square->y, square->width));
    const int64_t most =
        squared(farthest(square->x, square->width)) + squared(farthest(square->y, square->width));
    if (most <= inner || least >= outer) return white;
    return least >= inner && most <= outer ? black : grey;
}

/// A point that has both is of its middle's color.
static enum color color_of_point(const struct square* point, long picture) {
    const struct square middle = {point->x + point->width / 2, point->y + point->width / 2, 0};
    return color_of(&middle, picture);
}

static struct node* build(const struct square* square, long picture, struct node* parent, int quadrant) {
    struct node* made = or_exit(malloc(sizeof *made));
    const bool is_point = square->width == 2;
    const enum color color = is_point ? color_of_point(square, picture) : color_of(square, picture);
    *made = (struct node){.color = color, .quadrant = quadrant, .parent = parent};
    for (int i = 0; i < quadrants && color == grey; ++i) {
        const struct square below = quadrant_of(square, i);
        made->child[i].node = build(&below, picture, made, i);
    }
    return made;
}

// ---- the perimeter

/// A side of a square: the direction, and whether it is the upper of the two.
struct side {
    int axis;
    bool is_far;
};

static const struct side sides[] = {{east, false}, {east, true}, {south, false}, {south, true}};

static bool lies_at(int quadrant, struct side side) {
    return ((quadrant & side.axis) != 0) == side.is_far;
}

/// What lies at that side of the node and is as large or larger; NULL at the picture's edge.
static const struct node* neighbour_of(const struct node* node, struct side side) {
    const struct node* above = node->parent;
    if (above == NULL) return NULL;
    if (lies_at(node->quadrant, side)) above = neighbour_of(above, side);
    if (above == NULL || above->color != grey) return above;
    return above->child[node->quadrant ^ side.axis].node;
}

/// How much of the node's border is white at the side opposite to that one.
static long white_border(const struct node* node, struct side side, long width) {
    if (node->color != grey) return node->color == white ? width : 0;
    long sum = 0;
    for (int i = 0; i < quadrants; ++i) {
        if (!lies_at(i, side)) sum += white_border(node->child[i].node, side, width / 2);
    }
    return sum;
}

static long perimeter_of(const struct node* node, long width) {
    long sum = 0;
    if (node->color == grey) {
        for (int i = 0; i < quadrants; ++i) sum += perimeter_of(node->child[i].node, width / 2);
    } else if (node->color == black) {
        for (unsigned i = 0; i < sizeof sides / sizeof *sides; ++i) {
            const struct node* neighbour = neighbour_of(node, sides[i]);
            sum += neighbour == NULL ? width : white_border(neighbour, sides[i], width);
        }
    }
    return sum;
}

static unsigned long nodes_in(const struct node* node) {
    unsigned long sum = 1;
    for (int i = 0; i < quadrants && node->color == grey; ++i) sum += nodes_in(node->child[i].node);
    return sum;
}

int main(int count, char** arguments) {
    const int levels = count == 2 ? atoi(arguments[1]) : 0;
    if (levels < 2 || levels > most_levels) {
        fprintf(stderr, "usage: perimeter LEVELS (from 2, at most %d)\n", most_levels);
        return 2;
    }
    const long points = 1L << levels;
    const struct square square = {-points, -points, 2 * points};
    const struct node* picture = build(&square, 2 * points, NULL, 0);
    // NOLINTBEGIN(clang-analyzer-unix.Malloc): nothing frees the tree in the original either.
    printf("nodes %lu perimeter %ld\n", nodes_in(picture), perimeter_of(picture, points));
    return 0;
    // NOLINTEND(clang-analyzer-unix.Malloc)
}
