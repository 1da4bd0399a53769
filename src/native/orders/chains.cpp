#include "src/native/orders/chains.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace malloom::native {

namespace {

constexpr uint32_t none = UINT32_MAX;

struct Edge {
    uint32_t from;
    uint32_t to;
    uint32_t weight;
};

uint32_t saturating_sum(uint32_t a, uint32_t b) {
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/// Disjoint sets with path halving.
class Sets {
  public:
    explicit Sets(uint32_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }

    uint32_t find(uint32_t node) {
        while (parent_[node] != node) {
            parent_[node] = parent_[parent_[node]];
            node = parent_[node];
        }
        return node;
    }

    bool join(uint32_t a, uint32_t b) {
        a = find(a);
        b = find(b);
        parent_[a] = b;
        return a != b;
    }

  private:
    std::vector<uint32_t> parent_;
};

/// One level: nodes are runs of requests, numbered by their least rank.
struct Level {
    std::vector<Edge> edges;
    std::vector<uint64_t> begin;     ///< of each node in `sequence`, and the end
    std::vector<uint32_t> sequence;  ///< requests, node by node
    uint32_t nodes() const { return static_cast<uint32_t>(begin.size() - 1); }
};

Level first_level(const GraphView& graph, std::span<const uint64_t> rank) {
    Level level;
    const uint32_t count = graph.nodes();
    level.sequence.resize(count);
    std::iota(level.sequence.begin(), level.sequence.end(), 0U);
    std::stable_sort(level.sequence.begin(), level.sequence.end(),
                     [&](uint32_t a, uint32_t b) { return rank[a] < rank[b]; });
    level.begin.resize(count + size_t{1});
    std::iota(level.begin.begin(), level.begin.end(), uint64_t{0});
    std::vector<uint32_t> node_of(count);
    for (uint32_t node = 0; node < count; ++node) {
        node_of[level.sequence[node]] = node;
    }
    level.edges.reserve(graph.targets.size());
    for (uint32_t request = 0; request < count; ++request) {
        for (uint64_t edge = graph.offsets[request]; edge < graph.offsets[request + 1]; ++edge) {
            if (graph.targets[edge] != request) {
                level.edges.push_back({node_of[request], node_of[graph.targets[edge]], graph.weights[edge]});
            }
        }
    }
    return level;
}

/// The successor of every node in its chain; none at a tail.
std::vector<uint32_t> link(Level& level) {
    std::sort(level.edges.begin(), level.edges.end(), [](const Edge& a, const Edge& b) {
        const int a_width = std::bit_width(a.weight);
        const int b_width = std::bit_width(b.weight);
        return a_width != b_width ? a_width > b_width : a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    std::vector<uint32_t> next(level.nodes(), none);
    std::vector<bool> has_previous(level.nodes());
    Sets chains(level.nodes());
    for (const Edge& edge : level.edges) {
        if (next[edge.from] == none && !has_previous[edge.to] && chains.join(edge.from, edge.to)) {
            next[edge.from] = edge.to;
            has_previous[edge.to] = true;
        }
    }
    return next;
}

/// The chain of every node; chains are numbered by their least node, which is the least rank.
std::vector<uint32_t> number_chains(const std::vector<uint32_t>& next, std::vector<uint32_t>& heads) {
    const auto count = static_cast<uint32_t>(next.size());
    std::vector<uint32_t> previous(count, none);
    for (uint32_t node = 0; node < count; ++node) {
        if (next[node] != none) {
            previous[next[node]] = node;
        }
    }
    std::vector<uint32_t> chain(count, none);
    for (uint32_t node = 0; node < count; ++node) {
        if (chain[node] != none) {
            continue;
        }
        uint32_t head = node;
        while (previous[head] != none) {
            head = previous[head];
        }
        for (uint32_t member = head; member != none; member = next[member]) {
            chain[member] = static_cast<uint32_t>(heads.size());
        }
        heads.push_back(head);
    }
    return chain;
}

std::vector<Edge> contracted(std::vector<Edge> edges, const std::vector<uint32_t>& chain) {
    for (Edge& edge : edges) {
        edge.from = chain[edge.from];
        edge.to = chain[edge.to];
    }
    std::erase_if(edges, [](const Edge& edge) { return edge.from == edge.to; });
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
    size_t kept = 0;
    for (const Edge& edge : edges) {
        if (kept > 0 && edges[kept - 1].from == edge.from && edges[kept - 1].to == edge.to) {
            edges[kept - 1].weight = saturating_sum(edges[kept - 1].weight, edge.weight);
        } else {
            edges[kept++] = edge;
        }
    }
    edges.resize(kept);
    return edges;
}

Level joined(Level level, const std::vector<uint32_t>& next) {
    std::vector<uint32_t> heads;
    const std::vector<uint32_t> chain = number_chains(next, heads);
    Level coarser;
    coarser.begin.reserve(heads.size() + 1);
    coarser.sequence.reserve(level.sequence.size());
    for (const uint32_t head : heads) {
        coarser.begin.push_back(coarser.sequence.size());
        for (uint32_t node = head; node != none; node = next[node]) {
            coarser.sequence.insert(coarser.sequence.end(), level.sequence.begin() + level.begin[node],
                                    level.sequence.begin() + level.begin[node + 1]);
        }
    }
    coarser.begin.push_back(coarser.sequence.size());
    coarser.edges = contracted(std::move(level.edges), chain);
    return coarser;
}

}  // namespace

std::vector<uint32_t> affinity_chains(const GraphView& graph, std::span<const uint64_t> rank,
                                      unsigned levels) {
    Level level = first_level(graph, rank);
    for (unsigned done = 0; done < levels && !level.edges.empty(); ++done) {
        const std::vector<uint32_t> next = link(level);
        level = joined(std::move(level), next);
    }
    return std::move(level.sequence);
}

}  // namespace malloom::native
