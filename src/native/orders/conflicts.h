// Placement that avoids cache conflicts between requests that are used together (thesis, section 4.9).
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

#include "src/native/orders/graph.h"

namespace malloom::native {

/// The cache that conflicts are counted for.
struct ConflictCache {
    uint64_t sets;
    unsigned ways;
    uint64_t line_granules;  ///< line size in granules of 16 bytes
};

/// Reorders `order` so that requests that are accessed one after the other do not compete for a set. Requests
/// are laid out in the given order, but each may be drawn from the next few: the one whose neighbours in the
/// graph press least on the sets that it would come to lie in, beyond the ways these have. Pressure counts
/// edges by weight, so when a conflict cannot be avoided it falls on the pair that is least likely to meet.
/// O(edges + 8 * requests).
std::vector<uint32_t> avoid_conflicts(const GraphView& graph, std::span<const uint32_t> order,
                                      std::span<const uint32_t> granules, const ConflictCache& cache);

}  // namespace malloom::native
