// Addresses of a process without the gaps between its mappings, so that a line's number fits 32 bits.
#pragma once

#include <stdint.h>

#include <stdexcept>
#include <unordered_map>

namespace malloom::native {

/// Renumbers regions of 16 MiB in the order of their first use, to below 2^37. Within a region offsets stay,
/// so the sets of all caches with ways of up to 16 MiB stay too.
class CompactAddresses {
  public:
    static constexpr unsigned region_shift = 24;
    static constexpr uint64_t most_regions = uint64_t{1} << (37 - region_shift);

    /// Throws std::length_error where the process uses more than 128 GiB of regions.
    uint64_t operator()(uint64_t address) {
        const uint64_t region = address >> region_shift;
        if (region != latest_) {
            latest_ = region;
            number_ = numbers_.try_emplace(region, numbers_.size()).first->second;
            if (number_ >= most_regions) throw std::length_error("the accesses touch more than 128 GiB");
        }
        return number_ << region_shift | (address & ((uint64_t{1} << region_shift) - 1));
    }

  private:
    std::unordered_map<uint64_t, uint64_t> numbers_;
    uint64_t latest_ = UINT64_MAX;
    uint64_t number_ = 0;
};

}  // namespace malloom::native
