// Reference affinity: what is used together lies together, at every scale (Zhong et al., PLDI 2004, after the
// path covers of Pettis and Hansen, PLDI 1990).
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

#include "src/native/orders/graph.h"

namespace malloom::native {

/// Joins nodes into chains, heaviest edge first (of weights within a factor of two the one used first), tail
/// to head, so that a chain runs in the direction of use; then takes the chains for nodes, with the edges
/// between them summed, and so on until no edge joins two chains or `levels` is reached. The last chains
/// follow each other by the least `rank` in them (first use). O(levels * edges * log edges).
std::vector<uint32_t> affinity_chains(const GraphView& graph, std::span<const uint64_t> rank,
                                      unsigned levels);

}  // namespace malloom::native
