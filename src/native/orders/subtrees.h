// Subtree clustering (Chilimbi, Hill and Larus, PLDI 1999): what is reached from one node lies on the node's
// page, and on its line, so that a walk from the root to a leaf touches few of either.
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

#include "src/native/orders/graph.h"

namespace malloom::native {

/// The tree of use: each node's parent is the predecessor from which it was reached most often among those of
/// lesser rank (first use); on a tie the one of the least rank. -1: a root.
std::vector<int64_t> usage_tree(const GraphView& graph, std::span<const uint64_t> rank);

/// Sizes, in granules, of the two clusters that subtrees are packed into.
struct ClusterSizes {
    uint64_t page_granules;
    uint64_t line_granules;
};

/// Packs the forest: a cluster takes nodes breadth first from its root until the page that it is on is full;
/// the children that are left are the roots of clusters after it, the first child's whole subtree before the
/// second's. Within a page the same is done with lines. Siblings and roots come in the order of rank. O(n log
/// n).
std::vector<uint32_t> subtree_clusters(std::span<const int64_t> parent, std::span<const uint64_t> rank,
                                       std::span<const uint32_t> granules, const ClusterSizes& sizes);

}  // namespace malloom::native
