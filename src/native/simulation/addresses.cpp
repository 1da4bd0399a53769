#include "src/native/simulation/addresses.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace malloom::native {

namespace {

constexpr unsigned region_shift = 21;

constexpr uint64_t most_regions = SimulatedAddresses::arena_start >> region_shift;

/// Numbers of the regions that objects touch, each once in the end.
class Regions {
  public:
    void add(uint64_t address, uint64_t bytes) {
        require(bytes <= SimulatedAddresses::arena_start);
        const uint64_t first = address >> region_shift;
        const uint64_t last = (address + bytes - 1) >> region_shift;
        require(last - first < most_regions);  // also where 64 bits of addresses end between them
        for (uint64_t region = first; region <= last; ++region) {
            if (regions_.empty() || regions_.back() != region) {
                regions_.push_back(region);
            }
        }
        if (regions_.size() > (1U << 20)) {  // keeps memory bounded where requests alternate between regions
            sort();
        }
    }

    std::vector<uint64_t> take() {
        sort();
        return std::move(regions_);
    }

  private:
    static void require(bool fits) {
        if (!fits) {
            throw std::length_error("the recorded objects touch more than 64 GiB");
        }
    }

    void sort() {
        std::sort(regions_.begin(), regions_.end());
        regions_.erase(std::unique(regions_.begin(), regions_.end()), regions_.end());
        require(regions_.size() <= most_regions);
    }

    std::vector<uint64_t> regions_;
};

std::vector<uint64_t> touched_regions(std::span<const uint64_t> recorded, std::span<const uint64_t> sizes) {
    Regions regions;
    for (size_t request = 0; request < recorded.size(); ++request) {
        regions.add(recorded[request], std::max<uint64_t>(sizes[request], 1));
    }
    return regions.take();
}

}  // namespace

SimulatedAddresses::SimulatedAddresses(std::span<const uint64_t> recorded, std::span<const uint64_t> sizes)
    : recorded_(recorded.size()) {
    if (sizes.size() != recorded.size()) {
        throw std::invalid_argument("addresses and sizes differ in number");
    }
    const std::vector<uint64_t> regions = touched_regions(recorded, sizes);
    uint64_t cached_region = 0;
    uint64_t cached_index = UINT64_MAX;
    for (size_t request = 0; request < recorded.size(); ++request) {
        const uint64_t region = recorded[request] >> region_shift;
        if (cached_index == UINT64_MAX || region != cached_region) {
            cached_region = region;
            cached_index = std::lower_bound(regions.begin(), regions.end(), region) - regions.begin();
        }
        const uint64_t inside = recorded[request] & ((uint64_t{1} << region_shift) - 1);
        recorded_[request] = (cached_index << region_shift) + inside;
    }
}

std::vector<uint32_t> SimulatedAddresses::granules(std::span<const int64_t> offsets) const {
    if (offsets.size() != recorded_.size()) {
        throw std::invalid_argument("a layout has another number of requests than the profile");
    }
    std::vector<uint32_t> granules(offsets.size());
    for (size_t request = 0; request < offsets.size(); ++request) {
        const int64_t offset = offsets[request];
        if (offset != -1 && (offset < 0 || offset % 16 != 0 || offset >= static_cast<int64_t>(arena_start))) {
            throw std::invalid_argument("a layout's offset is not a multiple of 16 below 64 GiB");
        }
        granules[request] = offset < 0 ? unplaced : static_cast<uint32_t>(offset / 16);
    }
    return granules;
}

}  // namespace malloom::native
