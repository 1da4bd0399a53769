// Whose objects lead to those of a structure: by pointers in them, which the program follows to come there.
#pragma once

#include <optional>
#include <vector>

#include "compiler/analysis/legality.h"
#include "compiler/policy/weights.h"

namespace malloom::compiler {

/// For each proof that allows pools the one from whose objects more than half of the visits to its own come,
/// by the code alone; none where there is no such one.
std::vector<std::optional<size_t>> leaders_of(const PointsTo& points_to, const std::vector<Proof>& proofs,
                                              const Weights& weights);

}  // namespace malloom::compiler
