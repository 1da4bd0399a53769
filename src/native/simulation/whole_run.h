// A whole run, by the addresses of its accesses, through several machines and prefetchers in one pass.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "src/native/accesses/addresses.h"
#include "src/native/simulation/hierarchy.h"
#include "src/native/simulation/prefetch_engine.h"

namespace malloom::native {

struct WholeRun {
    uint64_t accesses = 0;
    uint64_t lines = 0;  ///< distinct lines of 64 bytes
    uint64_t pages = 0;  ///< distinct pages of 4096 bytes
    std::vector<std::vector<CacheCounts>> machines;
    std::vector<PrefetchCounts> prefetchers;
};

/// The machines replace the least recently used line; a prefetcher has its own first and second cache.
/// `progress` is called some times a second, and may throw.
WholeRun simulate_run(AddressSource& source, std::span<const Geometry> machines,
                      std::span<const std::pair<CacheShape, CacheShape>> prefetchers,
                      const std::function<void()>& progress);

}  // namespace malloom::native
