// The affinity graph: which object is accessed right after which (thesis, section 4.6), in bounded memory.
#pragma once

#include <stdint.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace malloom::native {

/// A graph in compressed rows; a node's edges fall in weight.
struct CompressedGraph {
    std::vector<uint64_t> offsets;
    std::vector<uint32_t> targets;
    std::vector<uint32_t> weights;
};

/// Keeps at most `edges_per_node` successors of each node, by the sketch of Misra and Gries (1982): where a
/// further successor finds no room, all of the node's weights fall by one and those at 0 make room. A weight
/// is thus a lower bound, short by at most the node's steps / (edges_per_node + 1); exact where the node has
/// no more successors.
class AffinityBuilder {
  public:
    AffinityBuilder(size_t nodes, unsigned edges_per_node);

    /// How many successors to keep where there are so many nodes: at most 64 bytes a node and 1 GiB together,
    /// where that allows two.
    static unsigned edges_for(size_t nodes);

    /// `to` was accessed right after `from`.
    void add(uint32_t from, uint32_t to);

    /// Asks for the memory that add(from, ...) will read.
    void prefetch(uint32_t from) const { __builtin_prefetch(&edges_[static_cast<size_t>(from) * width_], 1); }

    /// The graph. Frees the builder's memory, so it can be called once.
    CompressedGraph compress();

  private:
    struct Edge {
        uint32_t target;
        uint32_t weight;  ///< 0: free
    };
    struct Free {
        void operator()(Edge* edges) const { std::free(edges); }
    };

    void sort_rows(CompressedGraph& graph);

    size_t nodes_;
    unsigned width_;
    // From calloc: nodes without successors cost no memory.
    std::unique_ptr<Edge[], Free> edges_;
};

}  // namespace malloom::native
