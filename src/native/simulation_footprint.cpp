#include "src/native/simulation_footprint.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace malloom::native {

namespace {

/// Touched lines of a range of pages, one 64-bit mask a page.
class TouchedPages {
  public:
    void touch(uint64_t first_line, uint64_t last_line) {
        if (masks_.size() <= last_line / 64) {
            masks_.resize(std::max<size_t>(last_line / 64 + 1, masks_.size() * 2));
        }
        for (uint64_t line = first_line; line <= last_line; ++line) {
            masks_[line / 64] |= uint64_t{1} << (line % 64);
        }
    }

    void add_to(Footprint& footprint) const {
        for (const uint64_t mask : masks_) {
            footprint.lines += static_cast<uint64_t>(std::popcount(mask));
            footprint.pages += mask != 0 ? 1 : 0;
        }
    }

  private:
    std::vector<uint64_t> masks_;
};

}  // namespace

Footprint footprint(const SimulatedAddresses& addresses, std::span<const uint32_t> granules,
                    std::span<const uint64_t> sizes, std::span<const uint64_t> accesses) {
    const bool all = std::all_of(accesses.begin(), accesses.end(), [](uint64_t count) { return count == 0; });
    TouchedPages arena;
    TouchedPages recorded;
    for (size_t request = 0; request < granules.size(); ++request) {
        if (!all && accesses[request] == 0) {
            continue;
        }
        const bool placed = granules[request] != SimulatedAddresses::unplaced;
        const uint64_t address = addresses.address(static_cast<uint32_t>(request), granules[request]);
        const uint64_t start = placed ? address - SimulatedAddresses::arena_start : address;
        (placed ? arena : recorded)
            .touch(start / 64, (start + std::max<uint64_t>(sizes[request], 1) - 1) / 64);
    }
    Footprint footprint;
    arena.add_to(footprint);
    recorded.add_to(footprint);
    return footprint;
}

}  // namespace malloom::native
