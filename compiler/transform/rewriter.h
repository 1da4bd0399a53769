// Makes a program's alias sets what was decided of them: requests and releases become calls of pools
// (include/malloom/pools.h), and accesses to split objects find their fields' arrays (Curial et al.: MPADS,
// sections 2.1.4 and 2.3.2).
//
// A pointer to a split object's beginning is the address of its element of the first array; a pointer to a
// field, wherever it came from, is where that field lies; other pointers lead nowhere, as far from the first
// element as they ever did from the beginning. So nothing changes where pointers are copied, kept or
// compared.
#pragma once

#include <vector>

#include "compiler/analysis/points_to.h"
#include "compiler/policy/decision.h"

namespace malloom::compiler {

/// Rewrites the module that the points-to analysis is of, which is void thereafter. `verifies`: with checks
/// at run time of what was proven.
void rewrite(llvm::Module& module, const PointsTo& points_to, const std::vector<Decision>& decisions,
             bool verifies);

}  // namespace malloom::compiler
