// What the objects of each context missed.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "src/native/simulation/hierarchy.h"

namespace malloom::native {

/// Which context made each request, and how many contexts there are. No contexts: nothing is counted by them.
struct RequestContexts {
    std::span<const uint32_t> of_request;
    size_t count = 0;
};

/// Counts as Hierarchy::counts() has them, apart for each context. Not thread-safe.
class MissesByContext {
  public:
    /// `contexts.of_request` must stay, and every entry be below `contexts.count`.
    MissesByContext(const RequestContexts& contexts, const Geometry& geometry)
        : of_request_(contexts.of_request),
          caches_(geometry.caches.size()),
          columns_(2 * caches_ + geometry.tlbs.size()),
          counts_(contexts.count * columns_) {}

    bool counts_any() const { return !counts_.empty(); }

    void add(uint32_t request, const AccessMisses& met) {
        uint64_t* counts = counts_.data() + of_request_[request] * columns_;
        for (unsigned level = 0; level < met.levels; ++level) {
            ++counts[2 * level];
            counts[2 * level + 1] += met.hidden ? 1 : 0;
        }
        for (unsigned level = 0; level < met.tlbs; ++level) ++counts[2 * caches_ + level];
    }

    void reset() { std::ranges::fill(counts_, 0); }

    /// A row for each context: misses and hidden ones of each cache in turn, then the misses of each TLB.
    std::span<const uint64_t> counts() const { return counts_; }

  private:
    std::span<const uint32_t> of_request_;
    size_t caches_;
    size_t columns_;
    std::vector<uint64_t> counts_;
};

}  // namespace malloom::native
