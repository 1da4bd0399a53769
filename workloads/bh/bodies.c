#include "workloads/bh/bodies.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "workloads/bh/vector.h"
#include "workloads/memory.h"
#include "workloads/random.h"

enum { groups = 32 };

static const double edge = 4;
static const double speed_unit = 1.3029400317411198;  ///< the square root of 16 / (3 pi)

static struct body* new_body(void) {
    struct body* made = or_exit(malloc(sizeof *made));
    made->node.type = body_type;
    made->node.processor = 0;
    made->node.new_processor = 0;
    made->processor_next = NULL;
    return made;
}

/// A speed in the Plummer model at a distance from its centre, both in the model's units: by rejection, as
/// Aarseth, Henon and Wielen draw it (1974).
static double plummer_speed(double distance, uint64_t* random) {
    double share, density, drawn;
    do {
        share = random_unit(random);
        drawn = random_unit(random) / 10;
        double left = 1 - share * share;
        density = share * share * left * left * left * sqrt(left);
    } while (drawn > density);
    return sqrt(2) * share / sqrt(sqrt(1 + distance * distance));
}

/// A vector of the length, of any direction.
static void draw_direction(double* vector, double length, uint64_t* random) {
    double squared;
    do {
        for (int i = 0; i < dimensions; ++i) vector[i] = 2 * random_unit(random) - 1;
        squared = square(vector);
    } while (squared > 1 || squared == 0);
    scale(vector, length / sqrt(squared));
}

static void draw_body(struct body* body, uint64_t* random) {
    for (int i = 0; i < dimensions; ++i) body->node.position[i] = edge * random_unit(random);
    double distance = random_unit(random);
    draw_direction(body->velocity, speed_unit * plummer_speed(distance, random), random);
}

/// Appends so many bodies to a list, of which `last` is the last; returns the new last one.
static struct body* append(struct body* last, int count, double mass, uint64_t* random) {
    for (int i = 0; i < count; ++i) {
        struct body* made = new_body();
        last->next = made;
        made->node.mass = mass;
        draw_body(made, random);
        last = made;
    }
    last->next = NULL;
    return last;
}

/// Makes the groups one after the other, and one list of all. As in the original every group's list begins
/// with a body that is not used, and then lost.
static void make_groups(struct tree* tree, int count, uint64_t* random) {
    struct body* last = NULL;
    for (int i = 0; i < groups; ++i) {  // NOLINT(clang-analyzer-unix.Malloc)
        struct body* unused = new_body();
        int size = (int)((int64_t)count * (i + 1) / groups - (int64_t)count * i / groups);
        struct body* end = append(unused, size, (double)groups / count, random);
        tree->groups[i] = unused->next;
        if (size == 0) continue;
        if (last != NULL) last->next = unused->next;
        last = end;
    }
}

static struct body* first_body(const struct tree* tree) {
    int group = 0;
    while (tree->groups[group] == NULL) ++group;
    return tree->groups[group];
}

/// Lets all bodies together rest at the origin, and gives them to the processor.
static void settle(struct tree* tree, int count) {
    double position[dimensions] = {0}, velocity[dimensions] = {0};
    for (struct body* at = first_body(tree); at != NULL; at = at->next) {
        add_times(position, 1.0 / count, at->node.position);
        add_times(velocity, 1.0 / count, at->velocity);
    }
    for (struct body* at = first_body(tree); at != NULL; at = at->next) {
        subtract(at->node.position, position);
        subtract(at->velocity, velocity);
        at->processor_next = tree->processors[0];
        tree->processors[0] = at;
    }
}

void make_bodies(struct tree* tree, int count, uint64_t seed) {
    uint64_t random = random_begin(seed);
    make_groups(tree, count, &random);
    settle(tree, count);
}
