// What a bin function says: to which bin the chunks of a size belong. Sizes are bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::codegen::bins {

constexpr unsigned most_ranges = 1024;

/// Neighbouring ranges of sizes, each with its bin. The last one has no end: whatever is larger, also of more
/// than 32 bits, belongs to it.
struct BinRanges {
    const uint32_t* begins;   ///< ascending; the first one counts as 0
    const uint16_t* indices;  ///< of the bins, in any order; null: a range's bin has the range's number
    const uint32_t*
        weights;  ///< how often sizes of each range are asked for; null: one range as often as another
    unsigned count;

    uint32_t begin(unsigned range) const { return range == 0 ? 0 : begins[range]; }
    /// Of all but the last range: where the next one begins.
    uint32_t end(unsigned range) const { return begins[range + 1]; }
    uint32_t width(unsigned range) const { return end(range) - begin(range); }
    unsigned index(unsigned range) const { return indices == nullptr ? range : indices[range]; }
};

/// As C calls it on the machine where it runs.
using BinFunction = unsigned (*)(size_t bytes);

}  // namespace malloom::codegen::bins
