// How much memory a layout touches.
#pragma once

#include <stdint.h>

#include <span>

#include "src/native/simulation/addresses.h"

namespace malloom::native {

struct Footprint {
    uint64_t lines = 0;  ///< distinct lines of 64 bytes
    uint64_t pages = 0;  ///< distinct pages of 4096 bytes
};

/// Counts what the objects of all requests with `accesses` > 0 lie in, or of all requests where none has
/// accesses. `granules` is a layout; sizes in bytes.
Footprint footprint(const SimulatedAddresses& addresses, std::span<const uint32_t> granules,
                    std::span<const uint64_t> sizes, std::span<const uint64_t> accesses);

}  // namespace malloom::native
