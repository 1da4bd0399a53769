// Questions about a whole cover, answered by Shannon's expansion: a function is what it is where a variable
// is 0, and what it is where that is 1 (Brayton, Hachtel, McMullen and Sangiovanni-Vincentelli 1984).
#ifndef WORKLOADS_LOGIC_COVERS_RECURSION_H
#define WORKLOADS_LOGIC_COVERS_RECURSION_H

#include "workloads/logic_covers/cover.h"

/// What the cover is inside of that cube, seen as the whole space.
struct cover* cofactor_of(const struct cover* cover, const uint32_t* cube);
/// Whether it is true everywhere.
bool is_tautology(const struct cover* cover);
/// Whether it is false somewhere, and in which smallest cube.
bool bound_complement(uint32_t* bound, const struct cover* cover);
/// A cover of where it is false. Made anew, as all covers here are.
struct cover* complement_of(const struct cover* cover);

#endif
