// The leaves of a tree of comparisons: which neighbouring ranges need none among them, since a shift and an
// addition tell them apart.
#pragma once

#include <stdint.h>

#include "runtime/codegen/bins/instruction_set.h"

namespace malloom::codegen::bins {

/// Behind a leaf: the number of the range that begins there, and the weight of all before it.
class Border {
  public:
    static constexpr unsigned range_bits = 11, weight_bits = 32 - range_bits;

    Border() = default;
    Border(unsigned range, uint32_t weight_below) : bits_(weight_below << range_bits | range) {}

    unsigned range() const { return bits_ & ((1U << range_bits) - 1); }
    uint32_t weight_below() const { return bits_ >> range_bits; }

  private:
    uint32_t bits_;
};
static_assert(most_ranges < 1U << Border::range_bits);
static_assert(sizeof(Border) == sizeof(uint32_t));

/// A leaf is one range, or a run: cells of 2^n bytes, of which the first and the last may be cut off, with
/// bins that go up or down by one. Each run is as long as it can be, which makes the fewest leaves. But a
/// range with much of the weight stays out of runs of two: these save the other one a comparison, and both
/// then take a shift and an addition.
struct RangeLeaves {
    const Border* borders;  ///< of each leaf
    unsigned count;
};

/// `scratch`: a word for each range, for the borders; may be the ranges' weights.
RangeLeaves find_leaves(const BinRanges& ranges, uint32_t* scratch);

/// What computes the bins of the run that begins with this range.
Run run_at(const BinRanges& ranges, unsigned first);

}  // namespace malloom::codegen::bins
