#include "src/native/simulation/footprint.h"

#include <algorithm>

namespace malloom::native {

Footprint footprint(const SimulatedAddresses& addresses, std::span<const uint32_t> granules,
                    std::span<const uint64_t> sizes, std::span<const uint64_t> accesses) {
    const bool all = std::all_of(accesses.begin(), accesses.end(), [](uint64_t count) { return count == 0; });
    TouchedLines touched;
    for (uint32_t request = 0; request < granules.size(); ++request) {
        if (all || accesses[request] > 0) {
            touched.touch(addresses.address(request, granules[request]),
                          std::max<uint64_t>(sizes[request], 1));
        }
    }
    return {touched.lines(), touched.pages()};
}

}  // namespace malloom::native
