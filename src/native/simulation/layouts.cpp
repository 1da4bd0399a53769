#include "src/native/simulation/layouts.h"

#include <algorithm>
#include <stdexcept>

#include "src/native/simulation/replacement.h"

namespace malloom::native {

namespace {

/// Accesses handed to one layout before the next has its turn: small enough to stay in the host's cache,
/// large enough that a layout's simulated caches do too.
constexpr uint64_t chunk_accesses = 8192;
constexpr uint64_t progress_accesses = uint64_t{1} << 22;

template <class Replacement>
class LayoutUnder final : public SimulatedLayout {
  public:
    LayoutUnder(const Geometry& geometry, const SimulatedRequests& requests, std::vector<uint32_t> granules,
                MovedFields moved, uint64_t huge_bytes)
        : requests_(requests),
          granules_(std::move(granules)),
          moved_(std::move(moved)),
          geometry_(geometry),
          huge_pages_{SimulatedAddresses::arena_start, huge_bytes},
          hierarchy_(geometry, huge_pages_),
          by_context_(requests.contexts, geometry) {}

    void run(std::span<const ResolvedAccess> accesses, bool counted) override {
        const std::vector<CacheCounts> before = counted ? std::vector<CacheCounts>{} : hierarchy_.counts();
        const bool by_context = counted && by_context_.counts_any();
        starts_.resize(accesses.size());
        // Looking all addresses up first lets the host overlap its own cache misses.
        for (size_t i = 0; i < accesses.size(); ++i) {
            const uint32_t request = accesses[i].request;
            starts_[i] = moved_.moves(request)
                             ? moved_.address(requests_.addresses, address(request), accesses[i])
                             : address(request) + accesses[i].offset();
        }
        for (size_t i = 0; i < accesses.size(); ++i) {
            const AccessMisses met = hierarchy_.access(starts_[i], accesses[i].size(), accesses[i].weight);
            if (by_context) {
                by_context_.add(accesses[i].request, met);
            }
        }
        if (!counted) {
            hierarchy_.restore(before);
        }
    }

    std::vector<CacheCounts> counts() const override { return hierarchy_.counts(); }

    std::span<const uint64_t> counts_by_context() const override { return by_context_.counts(); }

    std::span<const uint32_t> granules() const override { return granules_; }

    void reset() override {
        hierarchy_ = Hierarchy<Replacement>(geometry_, huge_pages_);
        by_context_.reset();
    }

    void add_to_footprint(std::span<const uint32_t> requests) override {
        for (const uint32_t request : requests) {
            const bool moves = moved_.moves(request);
            const uint64_t bytes = moves ? moved_.first_bytes : requests_.sizes[request];
            hierarchy_.add_to_footprint(address(request), std::max<uint64_t>(bytes, 1));
            if (moves && moved_.second_bytes > 0) {
                const uint64_t second = requests_.addresses.address(request, moved_.second[request]);
                hierarchy_.add_to_footprint(second, moved_.second_bytes);
            }
        }
    }

  private:
    uint64_t address(uint32_t request) const {
        return requests_.addresses.address(request, granules_[request]);
    }

    SimulatedRequests requests_;
    std::vector<uint32_t> granules_;
    MovedFields moved_;
    std::vector<uint64_t> starts_;
    Geometry geometry_;
    HugePages huge_pages_;
    Hierarchy<Replacement> hierarchy_;
    MissesByContext by_context_;
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

bool begins_window(const Sampling& sampling, uint64_t at) {
    return sampling.skip > 0 && at % sampling.window == 0;
}

/// Requests that were first used in the stretch that was left out before the window `at` accesses into the
/// sample.
std::vector<uint32_t> used_in_gap(const SimulatedRequests& requests, const Sampling& sampling, uint64_t at) {
    const uint64_t gap = at + at / sampling.window * sampling.skip;
    std::vector<uint32_t> used;
    for (uint32_t request = 0; request < requests.first_access.size(); ++request) {
        if (requests.first_access[request] >= gap && requests.first_access[request] < gap + sampling.skip) {
            used.push_back(request);
        }
    }
    return used;
}

bool counts_at(const Sampling& sampling, uint64_t at) {
    return (sampling.window == 0 ? at : at % sampling.window) >= sampling.warm_up;
}

}  // namespace

std::unique_ptr<SimulatedLayout> make_simulated_layout(const Geometry& geometry,
                                                       const std::string& replacement,
                                                       const SimulatedRequests& requests,
                                                       std::vector<uint32_t> granules, MovedFields moved,
                                                       uint64_t huge_bytes) {
    if (geometry.caches.empty()) {
        throw std::invalid_argument("a geometry needs at least one cache");
    }
    const auto made = [&]<class Replacement>() -> std::unique_ptr<SimulatedLayout> {
        return std::make_unique<LayoutUnder<Replacement>>(geometry, requests, std::move(granules),
                                                          std::move(moved), huge_bytes);
    };
    if (replacement == "lru") {
        return made.template operator()<LeastRecentlyUsed>();
    }
    if (replacement == "tree-plru") {
        return made.template operator()<TreePseudoLru>();
    }
    if (replacement == "random") {
        return made.template operator()<RandomReplacement>();
    }
    throw std::invalid_argument("replacement is lru, tree-plru or random");
}

void simulate(AccessSource& source, std::span<const std::unique_ptr<SimulatedLayout>> layouts,
              const SimulatedRequests& requests, const Sampling& sampling,
              const std::function<void(uint64_t)>& progress) {
    uint64_t done = 0;
    for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
        check_requests(batch, requests.sizes.size());
        while (!batch.empty()) {
            const uint64_t count =
                std::min({uint64_t{batch.size()}, chunk_accesses, until_turn(sampling, done)});
            if (begins_window(sampling, done)) {
                const std::vector<uint32_t> used = used_in_gap(requests, sampling, done);
                for (const auto& layout : layouts) {
                    layout->add_to_footprint(used);
                }
            }
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
