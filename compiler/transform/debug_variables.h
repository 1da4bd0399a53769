// What debug information says of a program's variables, functions and values, once objects are split.
#pragma once

#include <vector>

#include "compiler/analysis/points_to.h"
#include "compiler/policy/decision.h"

namespace malloom::compiler {

/// Gives all variables and results that lead to objects of split sets types that say it (debug_types.h), and
/// brings values that are described as some bytes behind a pointer to such an object to where these bytes
/// will lie. Before the module is rewritten, as it is the points-to analysis's.
void describe_split(llvm::Module& module, const PointsTo& points_to, const std::vector<Decision>& decisions);

}  // namespace malloom::compiler
