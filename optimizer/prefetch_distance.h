// How far ahead of a load a prefetch is: in cache lines as an option, in bytes from the choice on. Knows
// nothing of DynamoRIO.
#pragma once

#include <limits.h>
#include <stdint.h>

#include <algorithm>

#include "optimizer/options.h"

namespace malloom::optimizer {

/// What is added to the address that a load reads: negative where its references go down. None: there is no
/// prefetch. The code cache reads its eight bytes.
struct PrefetchDistance {
    int64_t bytes = 0;

    bool is_none() const { return bytes == 0; }
    bool operator==(const PrefetchDistance&) const = default;
};

/// Distances beyond it are none: an instruction's displacement, to which a distance is added, has 32 bits
/// with its sign.
constexpr uint64_t most_distance_bytes = uint64_t{1} << 30;

/// An operand's displacement so many bytes further. Beyond what an instruction can hold it is the last one: a
/// prefetch of another place does no harm.
constexpr int displaced(int displacement, int64_t bytes) {
    return static_cast<int>(std::clamp<int64_t>(displacement + bytes, INT_MIN, INT_MAX));
}

/// How many lines become how many bytes (paper, section 3).
struct DistanceRule {
    uint64_t lines = Options{}.distance;
    uint64_t line_bytes = Options{}.line;
    bool whole_strides = Options{}.whole_strides != 0;

    /// The distance for a load with this stride, in bytes: the paper's p = lines x line + stride, in the
    /// stride's direction. With whole_strides the lines are rounded to a multiple of the stride, at least
    /// one: where a stride is longer than a line, the paper's p lies between two references, in a line that
    /// is perhaps never used.
    PrefetchDistance for_stride(int64_t stride) const;
};

}  // namespace malloom::optimizer
