// Which memory a layout touches.
#pragma once

#include <stdint.h>

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "src/native/simulation/addresses.h"

namespace malloom::native {

/// Lines of 64 bytes, one mask of 64 lines per page of 4096. Memory: 8 bytes per page of the address space in
/// use.
class TouchedLines {
  public:
    /// Touches the lines of [address, address + bytes); true where one of them is new.
    bool touch(uint64_t address, uint64_t bytes) {
        std::vector<uint64_t>& masks = address >= SimulatedAddresses::arena_start ? arena_ : recorded_;
        const uint64_t start = address & (SimulatedAddresses::arena_start - 1);
        bool is_new = false;
        for (uint64_t line = start / 64; line <= (start + bytes - 1) / 64; ++line) {
            if (line / 64 >= masks.size()) {
                masks.resize(std::max<size_t>(line / 64 + 1, masks.size() * 2));
            }
            const uint64_t bit = uint64_t{1} << (line % 64);
            is_new |= (masks[line / 64] & bit) == 0;
            masks[line / 64] |= bit;
        }
        return is_new;
    }

    uint64_t lines() const {
        uint64_t count = 0;
        for_each_mask([&](uint64_t mask) { count += static_cast<uint64_t>(std::popcount(mask)); });
        return count;
    }

    uint64_t pages() const {
        uint64_t count = 0;
        for_each_mask([&](uint64_t mask) { count += mask != 0 ? 1 : 0; });
        return count;
    }

  private:
    template <class Visit>
    void for_each_mask(const Visit& visit) const {
        std::for_each(recorded_.begin(), recorded_.end(), visit);
        std::for_each(arena_.begin(), arena_.end(), visit);
    }

    std::vector<uint64_t> recorded_;
    std::vector<uint64_t> arena_;
};

struct Footprint {
    uint64_t lines = 0;  ///< distinct lines of 64 bytes
    uint64_t pages = 0;  ///< distinct pages of 4096 bytes
};

/// Counts what the objects of all requests with `accesses` > 0 lie in, or of all requests where none has
/// accesses. `granules` is a layout; sizes in bytes.
Footprint footprint(const SimulatedAddresses& addresses, std::span<const uint32_t> granules,
                    std::span<const uint64_t> sizes, std::span<const uint64_t> accesses);

}  // namespace malloom::native
