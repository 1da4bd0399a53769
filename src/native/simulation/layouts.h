// Simulates caches and TLBs over one stream of accesses, under many layouts at once: the stream is decoded
// once.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/native/accesses/source.h"
#include "src/native/simulation/addresses.h"
#include "src/native/simulation/misses_by_context.h"
#include "src/native/simulation/moved_fields.h"

namespace malloom::native {

/// Which part of the stream counts. Windows of `window` accesses (0: one endless) each begin with `warm_up`
/// accesses that fill the caches but are not counted.
struct Sampling {
    uint64_t window = 0;
    uint64_t warm_up = 0;
    uint64_t skip = 0;  ///< accesses left out before each window: the source does not yield them
};

/// One layout's machine. Not thread-safe.
class SimulatedLayout {
  public:
    virtual ~SimulatedLayout() = default;
    virtual void run(std::span<const ResolvedAccess> accesses, bool counted) = 0;
    /// Says which requests were used in the stream before what comes next.
    virtual void add_to_footprint(std::span<const uint32_t> requests) = 0;
    virtual std::vector<CacheCounts> counts() const = 0;
    /// As MissesByContext has them; empty where nothing is counted by context.
    virtual std::span<const uint64_t> counts_by_context() const = 0;
    /// Where the layout places each request, in granules; SimulatedAddresses::unplaced: nowhere.
    virtual std::span<const uint32_t> granules() const = 0;
    /// Empties the caches and takes the counts back to 0.
    virtual void reset() = 0;
};

/// The requests of a profile, for all its layouts: columns with an entry per request.
struct SimulatedRequests {
    const SimulatedAddresses& addresses;
    std::span<const uint64_t> sizes;         ///< bytes
    std::span<const uint64_t> first_access;  ///< position in the whole stream; UINT64_MAX: never
    RequestContexts contexts;
};

/// `replacement` is lru, tree-plru or random, else std::invalid_argument. Keeps what `requests` refers to.
/// `moved` without requests: all fields stay. The first `huge_bytes` of the arena are in huge pages.
std::unique_ptr<SimulatedLayout> make_simulated_layout(const Geometry& geometry,
                                                       const std::string& replacement,
                                                       const SimulatedRequests& requests,
                                                       std::vector<uint32_t> granules, MovedFields moved = {},
                                                       uint64_t huge_bytes = 0);

/// Runs the whole stream through every layout. `progress` is told how many accesses are done, some times a
/// second. Throws std::out_of_range on an access to a request that is not there.
void simulate(AccessSource& source, std::span<const std::unique_ptr<SimulatedLayout>> layouts,
              const SimulatedRequests& requests, const Sampling& sampling,
              const std::function<void(uint64_t)>& progress);

}  // namespace malloom::native
