// The address space of a simulation: where the requests lay when they were recorded, and an arena beside it.
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

namespace malloom::native {

/// Addresses are renumbered to below 2^37 so that a line number fits 32 bits: recorded ones by regions of 2
/// MiB in order, without the gaps between them, so offsets in a region stay as they were; the arena begins at
/// 64 GiB.
class SimulatedAddresses {
  public:
    static constexpr uint64_t arena_start = uint64_t{1} << 36;
    static constexpr uint32_t unplaced = UINT32_MAX;

    /// `recorded` and `sizes` (bytes) have one entry per request. Throws std::length_error where the recorded
    /// objects touch more than 64 GiB of regions.
    SimulatedAddresses(std::span<const uint64_t> recorded, std::span<const uint64_t> sizes);

    size_t requests() const { return recorded_.size(); }

    /// The address of a request's object: `granule` (16 bytes) in the arena, or where it was recorded.
    uint64_t address(uint32_t request, uint32_t granule) const {
        return granule != unplaced ? arena_start + uint64_t{granule} * 16 : recorded_[request];
    }

    /// Offsets in bytes from the arena's start (-1: no place) as granules. Throws std::invalid_argument on an
    /// offset that is no multiple of 16 or not below 64 GiB, and where the count of requests differs.
    std::vector<uint32_t> granules(std::span<const int64_t> offsets) const;

  private:
    std::vector<uint64_t> recorded_;
};

}  // namespace malloom::native
