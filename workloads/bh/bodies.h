// How bh's bodies are made.
#ifndef WORKLOADS_BH_BODIES_H
#define WORKLOADS_BH_BODIES_H

#include <stdint.h>

#include "workloads/bh/tree.h"

/// Gives an empty tree `count` bodies, at least 1: spread evenly over a cube of an edge of 4 round the
/// origin, with velocities of the Plummer model and a mass of 32 together, neither moving nor displaced as a
/// whole. Ends the process where memory runs out.
void make_bodies(struct tree* tree, int count, uint64_t seed);

#endif
