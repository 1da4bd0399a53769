#include "src/native/simulation.h"

#include <algorithm>
#include <stdexcept>

#include "src/native/simulation_lru.h"
#include "src/native/simulation_random.h"
#include "src/native/simulation_tree_plru.h"

namespace malloom::native {

namespace {

/// Accesses handed to one layout before the next has its turn: small enough to stay in the host's cache,
/// large enough that a layout's simulated caches do too.
constexpr uint64_t chunk_accesses = 8192;
constexpr uint64_t progress_accesses = uint64_t{1} << 22;

template <class Replacement>
class LayoutUnder final : public SimulatedLayout {
  public:
    LayoutUnder(const Geometry& geometry, const SimulatedAddresses& addresses, std::vector<uint32_t> granules)
        : addresses_(addresses), granules_(std::move(granules)), hierarchy_(geometry) {}

    void run(std::span<const ResolvedAccess> accesses, bool counted) override {
        const std::vector<CacheCounts> before = counted ? std::vector<CacheCounts>{} : hierarchy_.counts();
        starts_.resize(accesses.size());
        // Looking all addresses up first lets the host overlap its own cache misses.
        for (size_t i = 0; i < accesses.size(); ++i) {
            const uint32_t request = accesses[i].request;
            starts_[i] = addresses_.address(request, granules_[request]) + accesses[i].offset();
        }
        for (size_t i = 0; i < accesses.size(); ++i) {
            hierarchy_.access(starts_[i], accesses[i].size(), accesses[i].weight);
        }
        if (!counted) {
            hierarchy_.restore(before);
        }
    }

    std::vector<CacheCounts> counts() const override { return hierarchy_.counts(); }

  private:
    const SimulatedAddresses& addresses_;
    std::vector<uint32_t> granules_;
    std::vector<uint64_t> starts_;
    Hierarchy<Replacement> hierarchy_;
};

void check_requests(std::span<const ResolvedAccess> accesses, size_t requests) {
    for (const ResolvedAccess& access : accesses) {
        if (access.request >= requests) {
            throw std::out_of_range("an access belongs to no request of the profile");
        }
    }
}

/// Accesses until counting turns on or off, `at` accesses into the stream.
uint64_t until_turn(const Sampling& sampling, uint64_t at) {
    if (sampling.window == 0) {
        return at < sampling.warm_up ? sampling.warm_up - at : UINT64_MAX;
    }
    const uint64_t inside = at % sampling.window;
    return inside < sampling.warm_up ? sampling.warm_up - inside : sampling.window - inside;
}

bool counts_at(const Sampling& sampling, uint64_t at) {
    return (sampling.window == 0 ? at : at % sampling.window) >= sampling.warm_up;
}

}  // namespace

std::unique_ptr<SimulatedLayout> make_simulated_layout(const Geometry& geometry,
                                                       const std::string& replacement,
                                                       const SimulatedAddresses& addresses,
                                                       std::vector<uint32_t> granules) {
    if (geometry.caches.empty()) {
        throw std::invalid_argument("a geometry needs at least one cache");
    }
    if (replacement == "lru") {
        return std::make_unique<LayoutUnder<LeastRecentlyUsed>>(geometry, addresses, std::move(granules));
    }
    if (replacement == "tree-plru") {
        return std::make_unique<LayoutUnder<TreePseudoLru>>(geometry, addresses, std::move(granules));
    }
    if (replacement == "random") {
        return std::make_unique<LayoutUnder<RandomReplacement>>(geometry, addresses, std::move(granules));
    }
    throw std::invalid_argument("replacement is lru, tree-plru or random");
}

void simulate(AccessSource& source, std::span<const std::unique_ptr<SimulatedLayout>> layouts,
              size_t requests, const Sampling& sampling, const std::function<void(uint64_t)>& progress) {
    uint64_t done = 0;
    for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
        check_requests(batch, requests);
        while (!batch.empty()) {
            const uint64_t count =
                std::min({uint64_t{batch.size()}, chunk_accesses, until_turn(sampling, done)});
            for (const auto& layout : layouts) {
                layout->run(batch.first(count), counts_at(sampling, done));
            }
            if (done / progress_accesses != (done + count) / progress_accesses) {
                progress(done + count);
            }
            done += count;
            batch = batch.subspan(count);
        }
    }
}

}  // namespace malloom::native
