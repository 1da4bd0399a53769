// The force on every body, by a walk of the tree each.
#ifndef WORKLOADS_BH_GRAVITY_H
#define WORKLOADS_BH_GRAVITY_H

#include "workloads/bh/tree.h"

/// Gives every body its potential and new_acceleration by the masses in the tree. A cell acts like one body
/// where `opening` times its distance is at least its edge; with 0 every body acts for itself.
void compute_gravity(const struct tree* tree, double opening);

#endif
