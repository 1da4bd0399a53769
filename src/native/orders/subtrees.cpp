#include "src/native/orders/subtrees.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace malloom::native {

namespace {

/// Children in compressed rows, siblings by rank; the last row holds the roots.
struct Forest {
    std::vector<uint64_t> begin;
    std::vector<uint32_t> children;

    std::span<const uint32_t> of(size_t node) const {
        return std::span(children).subspan(begin[node], begin[node + 1] - begin[node]);
    }
};

Forest forest_of(std::span<const int64_t> parent, std::span<const uint64_t> rank) {
    const size_t count = parent.size();
    const auto row_of = [&](uint32_t node) {
        return parent[node] < 0 ? count : static_cast<size_t>(parent[node]);
    };
    Forest forest{std::vector<uint64_t>(count + 2), std::vector<uint32_t>(count)};
    std::vector<uint32_t> by_rank(count);
    std::iota(by_rank.begin(), by_rank.end(), 0U);
    std::stable_sort(by_rank.begin(), by_rank.end(),
                     [&](uint32_t a, uint32_t b) { return rank[a] < rank[b]; });
    for (const uint32_t node : by_rank) {
        ++forest.begin.at(row_of(node) + 1);
    }
    std::partial_sum(forest.begin.begin(), forest.begin.end(), forest.begin.begin());
    std::vector<uint64_t> next(forest.begin.begin(), forest.begin.end() - 1);
    for (const uint32_t node : by_rank) {
        forest.children[next[row_of(node)]++] = node;
    }
    return forest;
}

class Packer {
  public:
    Packer(const Forest& forest, std::span<const uint32_t> granules, const ClusterSizes& sizes)
        : forest_(forest), granules_(granules), sizes_(sizes), page_of_(granules.size()) {
        order_.reserve(granules.size());
    }

    std::vector<uint32_t> pack() {
        push_reversed(forest_.of(granules_.size()), pages_);
        while (!pages_.empty()) {
            const uint32_t root = pages_.back();
            pages_.pop_back();
            pack_page(root);
        }
        return std::move(order_);
    }

  private:
    static void push_reversed(std::span<const uint32_t> nodes, std::vector<uint32_t>& stack) {
        stack.insert(stack.end(), nodes.rbegin(), nodes.rend());
    }

    /// Granules left on the page or line of `cluster` granules that the next node falls into; where that is
    /// less than a quarter, the next one is counted in, as a cluster of a few nodes is none.
    uint64_t room(uint64_t cluster) const {
        const uint64_t left = cluster - end_ % cluster;
        return left < cluster / 4 ? left + cluster : left;
    }

    /// Nodes breadth first from `root` into `taken` while they fit `room`, the root in any case; what
    /// `belongs` refuses is passed over. Children that did not fit go to `left` in order.
    template <class Belongs>
    void gather(uint32_t root, uint64_t room, std::vector<uint32_t>& taken, std::vector<uint32_t>& left,
                const Belongs& belongs) {
        taken.assign(1, root);
        left.clear();
        uint64_t used = granules_[root];
        for (size_t next = 0; next < taken.size(); ++next) {
            for (const uint32_t child : forest_.of(taken[next])) {
                if (!belongs(child)) {
                    continue;
                }
                if (used + granules_[child] <= room) {
                    used += granules_[child];
                    taken.push_back(child);
                } else {
                    left.push_back(child);
                }
            }
        }
    }

    void pack_page(uint32_t root) {
        gather(root, room(sizes_.page_granules), page_, left_of_page_, [](uint32_t) { return true; });
        ++page_number_;
        for (const uint32_t node : page_) {
            page_of_[node] = page_number_;
        }
        push_reversed(left_of_page_, pages_);
        pack_lines(root);
    }

    void pack_lines(uint32_t page_root) {
        lines_.assign(1, page_root);
        while (!lines_.empty()) {
            const uint32_t root = lines_.back();
            lines_.pop_back();
            gather(root, room(sizes_.line_granules), line_, left_of_line_,
                   [&](uint32_t child) { return page_of_[child] == page_number_; });
            for (const uint32_t node : line_) {
                order_.push_back(node);
                end_ += granules_[node];
            }
            push_reversed(left_of_line_, lines_);
        }
    }

    const Forest& forest_;
    std::span<const uint32_t> granules_;
    ClusterSizes sizes_;
    std::vector<uint32_t> page_of_;
    uint32_t page_number_ = 0;
    uint64_t end_ = 0;
    std::vector<uint32_t> pages_, lines_, page_, line_, left_of_page_, left_of_line_;
    std::vector<uint32_t> order_;
};

}  // namespace

std::vector<int64_t> usage_tree(const GraphView& graph, std::span<const uint64_t> rank) {
    std::vector<int64_t> parent(graph.nodes(), -1);
    std::vector<uint32_t> heaviest(graph.nodes(), 0);
    for (uint32_t node = 0; node < graph.nodes(); ++node) {
        for (uint64_t edge = graph.offsets[node]; edge < graph.offsets[node + 1]; ++edge) {
            const uint32_t child = graph.targets[edge];
            const uint32_t weight = graph.weights[edge];
            if (rank[node] >= rank[child] || weight == 0 || weight < heaviest[child]) {
                continue;
            }
            if (weight > heaviest[child] || rank[node] < rank[static_cast<size_t>(parent[child])]) {
                parent[child] = node;
                heaviest[child] = weight;
            }
        }
    }
    return parent;
}

std::vector<uint32_t> subtree_clusters(std::span<const int64_t> parent, std::span<const uint64_t> rank,
                                       std::span<const uint32_t> granules, const ClusterSizes& sizes) {
    if (rank.size() != parent.size() || granules.size() != parent.size() || sizes.page_granules == 0 ||
        sizes.line_granules == 0) {
        throw std::invalid_argument("the columns of a forest differ in length, or a cluster has no room");
    }
    const Forest forest = forest_of(parent, rank);
    return Packer(forest, granules, sizes).pack();
}

}  // namespace malloom::native
