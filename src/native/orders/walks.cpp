#include "src/native/orders/walks.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace malloom::native {

namespace {

void require_nodes(const GraphView& graph, std::span<const uint32_t> named) {
    if (!graph.has(named)) {
        throw std::invalid_argument("an order names a node that the graph does not have");
    }
}

/// An order as it grows; names each node at most once.
class GrowingOrder {
  public:
    explicit GrowingOrder(uint32_t nodes) : named_(nodes) { order_.reserve(nodes); }

    bool name(uint32_t node) {
        if (named_[node]) {
            return false;
        }
        named_[node] = true;
        order_.push_back(node);
        return true;
    }

    std::vector<uint32_t> take() { return std::move(order_); }

  private:
    std::vector<bool> named_;
    std::vector<uint32_t> order_;
};

/// A node on the way down, and which of its edges is next.
struct Step {
    uint32_t node;
    uint32_t next_edge;
};

void walk_from(const GraphView& graph, uint32_t root, GrowingOrder& order, std::vector<Step>& way) {
    if (order.name(root)) {
        way.push_back({root, 0});
    }
    while (!way.empty()) {
        Step& step = way.back();
        const std::span<const uint32_t> successors = graph.successors(step.node);
        if (step.next_edge == successors.size()) {
            way.pop_back();
            continue;
        }
        const uint32_t successor = successors[step.next_edge++];
        if (order.name(successor)) {
            way.push_back({successor, 0});
        }
    }
}

}  // namespace

std::vector<uint32_t> depth_first(const GraphView& graph, std::span<const uint32_t> roots) {
    require_nodes(graph, roots);
    GrowingOrder order(graph.nodes());
    std::vector<Step> way;
    for (const uint32_t root : roots) {
        walk_from(graph, root, order, way);
    }
    return order.take();
}

std::vector<uint32_t> in_order_of_use(const GraphView& graph, std::span<const uint64_t> rank) {
    std::vector<uint32_t> targets(graph.targets.begin(), graph.targets.end());
    std::vector<std::pair<int, uint32_t>> row;
    for (uint32_t node = 0; node < graph.nodes(); ++node) {
        row.clear();
        for (uint64_t edge = graph.offsets[node]; edge < graph.offsets[node + 1]; ++edge) {
            row.emplace_back(std::bit_width(graph.weights[edge]), graph.targets[edge]);
        }
        std::stable_sort(row.begin(), row.end(), [&](const auto& a, const auto& b) {
            return a.first != b.first ? a.first > b.first : rank[a.second] < rank[b.second];
        });
        std::transform(row.begin(), row.end(), targets.begin() + static_cast<ptrdiff_t>(graph.offsets[node]),
                       [](const auto& successor) { return successor.second; });
    }
    return targets;
}

std::vector<uint32_t> grouped(const GraphView& graph, std::span<const uint32_t> hubs) {
    require_nodes(graph, hubs);
    GrowingOrder order(graph.nodes());
    for (const uint32_t hub : hubs) {
        for (const uint32_t successor : graph.successors(hub)) {
            order.name(successor);
        }
    }
    for (const uint32_t hub : hubs) {
        order.name(hub);
    }
    return order.take();
}

}  // namespace malloom::native
