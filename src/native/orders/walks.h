// Orders by walks over a graph of requests (thesis, sections 4.4 to 4.7).
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

#include "src/native/orders/graph.h"

namespace malloom::native {

/// Depth first, a node before its successors, heaviest edge first; the walk starts at each of `roots` in turn
/// that it has not reached yet (section 4.4). Nodes that no root reaches are left out. Throws
/// std::invalid_argument where a root is no node.
std::vector<uint32_t> depth_first(const GraphView& graph, std::span<const uint32_t> roots);

/// The graph's targets, each row in the order in which the node's successors are likely to be wanted: by
/// weight, but weights within a factor of two count as equal and give way to the lesser `rank` (first use).
std::vector<uint32_t> in_order_of_use(const GraphView& graph, std::span<const uint64_t> rank);

/// For each of `hubs` in turn its successors that have no place yet, but not the hub itself; then what is
/// left, in the hubs' order (section 4.5). Throws std::invalid_argument where a hub is no node.
std::vector<uint32_t> grouped(const GraphView& graph, std::span<const uint32_t> hubs);

}  // namespace malloom::native
