// Fewer and larger cubes for the same function.
#ifndef WORKLOADS_LOGIC_COVERS_MINIMIZE_H
#define WORKLOADS_LOGIC_COVERS_MINIMIZE_H

#include "workloads/logic_covers/cover.h"

/// A cover that is true where `on` is and `unspecified` is not, and false where neither is. Each of its cubes
/// is as large as can be, and none can be left out.
struct cover* minimized(const struct cover* on, const struct cover* unspecified);

#endif
