// bh BODIES STEPS [SEED [OPENING [list]]]: stars that attract each other, by Barnes and Hut's method: an
// octree over all bodies, in which a cell acts like one body where OPENING (1) times its distance is at least
// its edge. Prints the number of cells in the last tree, the kinetic and the potential energy, and the sum of
// mass times squared distance from the centre; with `list` also every body: potential, position, velocity and
// acceleration. The potential and the acceleration are of where it was before its last move.
//
// Written afresh after Olden's bh (Rogers, Carlisle, Reppy and Hendren 1995, from Barnes' treecode; Barnes
// and Hut 1986), as it runs on one processor. As there, a body is 144 bytes and a cell 120, one malloc each,
// and both are reached through pointers to the node that they begin with, whose type says to what it is cast.
// Bodies are made first and stay; their list is walked from the latest to the first to build the tree, for
// the forces and to move them. Every step makes a new tree: the cells of the old one go to a free list of the
// program's own, from which they come again in the order in which a walk meets them, while bodies arrive in
// random order. The walk for a body's force takes the octants from 0 to 7; a structure of its sums is handed
// to every call and returned by it. Positions are spread evenly over a cube, velocities are the Plummer
// model's. The mass of 32, the softening of 0.05 and the time step of 0.0125 are the original's, whose steps
// are always 10 and whose bodies are a multiple of 32.
//
// Heap bytes in glibc's malloc: BODIES and 32 unused ones of 160, cells of 128, about 0.49 per body and as
// many as the largest tree had, and 1072 for the tree's top: 222 BODIES + 6200; with 8192 bodies and 10 steps
// 1,846,960. Time grows with STEPS BODIES log(BODIES).
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/bh/bodies.h"
#include "workloads/bh/gravity.h"
#include "workloads/bh/tree.h"
#include "workloads/bh/vector.h"
#include "workloads/phases.h"

static const double cube = 4;
static const double time_step = 0.0125;

/// Moves a body through a time step. Its velocity was foretold in the step before; the force in its new place
/// corrects that first.
static void move(struct body* body, bool first) {
    const double half = time_step / 2;
    if (!first) {
        add_times(body->velocity, half, body->new_acceleration);
        add_times(body->velocity, -half, body->acceleration);
    }
    copy(body->acceleration, body->new_acceleration);
    add_times(body->velocity, half, body->acceleration);
    add_times(body->node.position, time_step, body->velocity);
    add_times(body->velocity, half, body->acceleration);
}

static void simulate(struct tree* tree, int steps, double opening) {
    for (int step = 0; step < steps; ++step) {
        empty_tree(tree);
        fill_tree(tree);
        compute_gravity(tree, opening);
        for (struct body* at = tree->processors[0]; at != NULL; at = at->processor_next) move(at, step == 0);
    }
}

static void print_sums(const struct tree* tree) {
    double kinetic = 0, potential = 0, moment = 0;
    for (const struct body* at = tree->processors[0]; at != NULL; at = at->processor_next) {
        kinetic += at->node.mass * square(at->velocity) / 2;
        potential += at->node.mass * at->potential / 2;
        moment += at->node.mass * square(at->node.position);
    }
    printf("cells %d\n", count_cells(tree->root));
    printf("kinetic %.6g\npotential %.6g\nmoment %.6g\n", kinetic, potential, moment);
}

static void print_vector(const double* vector) {
    for (int i = 0; i < dimensions; ++i) printf(" %.17g", vector[i]);
}

static void print_bodies(const struct tree* tree) {
    for (const struct body* at = tree->processors[0]; at != NULL; at = at->processor_next) {
        printf("%.17g", at->potential);
        print_vector(at->node.position);
        print_vector(at->velocity);
        print_vector(at->acceleration);
        putchar('\n');
    }
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    int bodies = count >= 3 ? atoi(arguments[1]) : 0;
    int steps = count >= 3 ? atoi(arguments[2]) : 0;
    unsigned long seed = count >= 4 ? strtoul(arguments[3], NULL, 10) : 1;
    double opening = count >= 5 ? strtod(arguments[4], NULL) : 1;
    bool listing = count == 6 && strcmp(arguments[5], "list") == 0;
    if (bodies < 1 || steps < 1 || !(opening >= 0) || count > 6 || (count == 6 && !listing)) {
        fputs("usage: bh BODIES STEPS [SEED [OPENING [list]]] [--times]\n", stderr);
        return 2;
    }
    double began = phase_begin();
    struct tree* tree = make_tree(cube);
    make_bodies(tree, bodies, seed);
    phase_end("build_time", began);
    began = phase_begin();
    simulate(tree, steps, opening);
    phase_end("simulate_time", began);
    print_sums(tree);
    if (listing) print_bodies(tree);
    return 0;
}
