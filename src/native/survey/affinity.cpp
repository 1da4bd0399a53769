#include "src/native/survey/affinity.h"

#include <algorithm>
#include <new>

namespace malloom::native {

AffinityBuilder::AffinityBuilder(size_t nodes, unsigned edges_per_node)
    : nodes_(nodes),
      width_(edges_per_node),
      edges_(static_cast<Edge*>(std::calloc(std::max<size_t>(nodes * edges_per_node, 1), sizeof(Edge)))) {
    if (edges_ == nullptr) throw std::bad_alloc();
}

unsigned AffinityBuilder::edges_for(size_t nodes) {
    constexpr size_t budget = size_t{1} << 30;
    for (unsigned width = 8; width > 2; width /= 2) {
        if (nodes * width * sizeof(Edge) <= budget / 2) return width;
    }
    return 2;
}

void AffinityBuilder::add(uint32_t from, uint32_t to) {
    Edge* row = &edges_[static_cast<size_t>(from) * width_];
    Edge* vacant = nullptr;
    for (unsigned i = 0; i < width_; ++i) {
        if (row[i].weight == 0) {
            vacant = &row[i];
        } else if (row[i].target == to) {
            if (row[i].weight != UINT32_MAX) ++row[i].weight;
            return;
        }
    }
    if (vacant != nullptr) {
        *vacant = {to, 1};
        return;
    }
    for (unsigned i = 0; i < width_; ++i) --row[i].weight;
}

CompressedGraph AffinityBuilder::compress() {
    CompressedGraph graph;
    graph.offsets.resize(nodes_ + 1);
    uint64_t edges = 0;
    for (size_t node = 0; node < nodes_; ++node) {
        graph.offsets[node] = edges;
        Edge* row = &edges_[node * width_];
        edges += std::count_if(row, row + width_, [](const Edge& edge) { return edge.weight != 0; });
    }
    graph.offsets[nodes_] = edges;
    graph.targets.reserve(edges);
    graph.weights.reserve(edges);
    sort_rows(graph);
    edges_.reset();
    return graph;
}

void AffinityBuilder::sort_rows(CompressedGraph& graph) {
    for (size_t node = 0; node < nodes_; ++node) {
        if (graph.offsets[node] == graph.offsets[node + 1]) continue;
        Edge* row = &edges_[node * width_];
        std::sort(row, row + width_, [](const Edge& a, const Edge& b) {
            return a.weight != b.weight ? a.weight > b.weight : a.target < b.target;
        });
        for (Edge* edge = row; edge < row + width_ && edge->weight != 0; ++edge) {
            graph.targets.push_back(edge->target);
            graph.weights.push_back(edge->weight);
        }
    }
}

}  // namespace malloom::native
