#include "workloads/bh/gravity.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "workloads/bh/vector.h"

static const double softening = 0.05;  ///< added to distances, as the square to their squares

/// What acts on a body, as far as the walk has come. As in the original each call is given it and returns it
/// as a whole.
struct pull {
    const struct node* on;
    double position[dimensions];
    double potential;
    double acceleration[dimensions];
};

/// The way from the pulled body to a node; returns the square of its length.
static double set_way(double* way, struct pull pull, const struct node* to) {
    copy(way, to->position);
    subtract(way, pull.position);
    return square(way);
}

static bool is_opened(const struct node* node, double edge_squared, double opening_squared,
                      struct pull pull) {
    if (node->type == body_type) return false;
    double way[dimensions];
    return opening_squared * set_way(way, pull, node) < edge_squared;
}

static struct pull pulled_by(const struct node* node, struct pull pull) {
    double way[dimensions];
    double squared = set_way(way, pull, node) + softening * softening;
    double potential = node->mass / sqrt(squared);
    pull.potential -= potential;
    add_times(pull.acceleration, potential / squared, way);
    return pull;
}

static struct pull walk(const struct node* node, double edge_squared, double opening_squared,
                        struct pull pull) {
    if (is_opened(node, edge_squared, opening_squared, pull)) {
        const struct cell* cell = (const struct cell*)node;
        for (int i = 0; i < octants; ++i) {
            const struct node* below = cell->octants[i];
            if (below != NULL) pull = walk(below, edge_squared / 4, opening_squared, pull);
        }
    } else if (node != pull.on) {
        pull = pulled_by(node, pull);
    }
    return pull;
}

void compute_gravity(const struct tree* tree, double opening) {
    for (struct body* at = tree->processors[0]; at != NULL; at = at->processor_next) {
        struct pull pull = {.on = (const struct node*)at};
        copy(pull.position, at->node.position);
        pull = walk(tree->root, tree->size * tree->size, opening * opening, pull);
        at->potential = pull.potential;
        copy(at->new_acceleration, pull.acceleration);
    }
}
