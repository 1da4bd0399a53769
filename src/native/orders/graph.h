// A weighted directed graph in compressed rows, as malloom.profile.AffinityGraph holds it.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <span>
#include <stdexcept>

namespace malloom::native {

/// The edges of node i are at offsets[i] to offsets[i + 1], in falling weight.
struct GraphView {
    std::span<const uint64_t> offsets;
    std::span<const uint32_t> targets;
    std::span<const uint32_t> weights;

    uint32_t nodes() const { return static_cast<uint32_t>(offsets.size() - 1); }
    std::span<const uint32_t> successors(uint32_t node) const {
        return targets.subspan(offsets[node], offsets[node + 1] - offsets[node]);
    }

    /// Whether all of these are nodes.
    bool has(std::span<const uint32_t> named) const {
        return std::all_of(named.begin(), named.end(), [this](uint32_t node) { return node < nodes(); });
    }

    /// Throws std::invalid_argument where the rows do not fit together.
    void check() const {
        bool good = !offsets.empty() && offsets.front() == 0 && offsets.back() == targets.size() &&
                    weights.size() == targets.size() && offsets.size() <= UINT32_MAX;
        for (size_t node = 1; good && node < offsets.size(); ++node) {
            good = offsets[node - 1] <= offsets[node];
        }
        for (size_t edge = 0; good && edge < targets.size(); ++edge) {
            good = targets[edge] < offsets.size() - 1;
        }
        if (!good) {
            throw std::invalid_argument("the graph's rows do not fit together");
        }
    }
};

}  // namespace malloom::native
