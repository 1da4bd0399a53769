// Structures whose objects lead to each other's: with pools of their own, who visits both comes to two
// places, where malloc has put them side by side if they were requested so. Such structures share pools, as
// far as their objects take no more room there than from malloc.
#pragma once

#include <optional>
#include <vector>

#include "compiler/policy/decision.h"

namespace malloom::compiler {

/// Changes the decisions on structures that shall share pools, which then are not split, where their policies
/// let them; `leaders` are of the same proofs (leaders.h).
void share_pools(std::vector<Decision>& decisions, const std::vector<std::optional<size_t>>& leaders);

}  // namespace malloom::compiler
