// Simulates caches and TLBs over one stream of accesses, under many layouts at once: the stream is decoded
// once.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/native/access_source.h"
#include "src/native/simulation_addresses.h"
#include "src/native/simulation_hierarchy.h"

namespace malloom::native {

/// Which part of the stream counts. Windows of `window` accesses (0: one endless) each begin with `warm_up`
/// accesses that fill the caches but are not counted.
struct Sampling {
    uint64_t window = 0;
    uint64_t warm_up = 0;
};

/// One layout's machine. Not thread-safe.
class SimulatedLayout {
  public:
    virtual ~SimulatedLayout() = default;
    virtual void run(std::span<const ResolvedAccess> accesses, bool counted) = 0;
    virtual std::vector<CacheCounts> counts() const = 0;
};

/// `replacement` is lru, tree-plru or random, else std::invalid_argument. Keeps a reference to `addresses`.
std::unique_ptr<SimulatedLayout> make_simulated_layout(const Geometry& geometry,
                                                       const std::string& replacement,
                                                       const SimulatedAddresses& addresses,
                                                       std::vector<uint32_t> granules);

/// Runs the whole stream through every layout. `progress` is told how many accesses are done, some times a
/// second. Throws std::out_of_range on an access to a request that is not there.
void simulate(AccessSource& source, std::span<const std::unique_ptr<SimulatedLayout>> layouts,
              size_t requests, const Sampling& sampling, const std::function<void(uint64_t)>& progress);

}  // namespace malloom::native
