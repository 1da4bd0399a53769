#include "src/native/simulation/whole_run.h"

#include "src/native/simulation/compact_addresses.h"
#include "src/native/simulation/footprint.h"

namespace malloom::native {

namespace {

constexpr uint64_t progress_accesses = uint64_t{1} << 20;

/// All that a run goes through.
class Machines {
  public:
    Machines(std::span<const Geometry> machines,
             std::span<const std::pair<CacheShape, CacheShape>> prefetchers)
        : hierarchies_(machines.begin(), machines.end()) {
        for (const auto& [first, second] : prefetchers) engines_.emplace_back(first, second);
    }

    void run(std::span<const AddressedAccess> batch) {
        places_.resize(batch.size());
        for (size_t i = 0; i < batch.size(); ++i) places_[i] = compact_(batch[i].address());
        for (auto& hierarchy : hierarchies_) {
            for (size_t i = 0; i < batch.size(); ++i) hierarchy.access(places_[i], batch[i].size(), 1);
        }
        for (auto& engine : engines_) {
            for (size_t i = 0; i < batch.size(); ++i) engine.access(places_[i], batch[i].size());
        }
        for (size_t i = 0; i < batch.size(); ++i) touched_.touch(places_[i], batch[i].size());
    }

    WholeRun counts(uint64_t accesses) const {
        WholeRun counted{accesses, touched_.lines(), touched_.pages(), {}, {}};
        for (const auto& hierarchy : hierarchies_) counted.machines.push_back(hierarchy.counts());
        for (const auto& engine : engines_) counted.prefetchers.push_back(engine.counts);
        return counted;
    }

  private:
    CompactAddresses compact_;
    TouchedLines touched_;
    std::vector<Hierarchy<LeastRecentlyUsed>> hierarchies_;
    std::vector<PrefetchEngine> engines_;
    std::vector<uint64_t> places_;
};

}  // namespace

WholeRun simulate_run(AddressSource& source, std::span<const Geometry> machines,
                      std::span<const std::pair<CacheShape, CacheShape>> prefetchers,
                      const std::function<void()>& progress) {
    Machines all(machines, prefetchers);
    uint64_t done = 0;
    for (auto batch = source.next_batch(); !batch.empty(); batch = source.next_batch()) {
        all.run(batch);
        if (done / progress_accesses != (done + batch.size()) / progress_accesses) progress();
        done += batch.size();
    }
    return all.counts(done);
}

}  // namespace malloom::native
