#include "runtime/codegen/bins/range_leaves.h"

#include "runtime/codegen/bins/bits.h"
#include "runtime/codegen/bins/scale.h"

namespace malloom::codegen::bins {
namespace {

// What sizes and bins in their places of a run stay below: so sums and differences of them have 31 bits, and
// it does not matter whether a machine sees signs.
constexpr uint32_t run_limit = uint32_t{1} << 30;

/// As the ranges have them, or all the same.
class Weights {
  public:
    explicit Weights(const BinRanges& ranges)
        : weights_(ranges.weights),
          scale_(scale_to(Border::weight_bits - 1, weights_, weights_ == nullptr ? 0 : ranges.count)) {}

    /// Scaled so that the sum, with one more for each leaf, has the bits of a border. Never 0: what nobody
    /// asked for so far may come.
    uint32_t of(unsigned range) const {
        return weights_ == nullptr ? 1 : (weights_[range] >> scale_.shift) + 1;
    }
    /// Whether it is more than an eighth of all.
    bool is_heavy(unsigned range) const {
        return weights_ != nullptr && weights_[range] >> scale_.shift > scale_.sum / 8;
    }

  private:
    const uint32_t* weights_;
    Scale scale_;
};

/// Of the smallest cells that hold this range and the next one.
unsigned shift_at(const BinRanges& ranges, unsigned first) {
    const uint32_t width = ranges.width(first), next_width = ranges.width(first + 1);
    return bit_width((width > next_width ? width : next_width) - 1);
}

/// Behind the longest run that begins there, which may be one range. Ranges from `bounded` on are in none.
unsigned end_of_run(const BinRanges& ranges, unsigned bounded, unsigned first) {
    unsigned end = first + 1;
    if (end >= bounded) {
        return end;
    }
    unsigned index = ranges.index(first);
    const unsigned step = ranges.index(end) - index;
    const bool goes_by_one = step == 1 || step + 1 == 0;
    if (!goes_by_one) {
        return end;
    }
    const unsigned shift = shift_at(ranges, first);
    if (index >= run_limit >> shift) {
        return end;
    }
    // Up to the first one that is no whole cell.
    uint32_t width = 1U << shift;
    for (; end < bounded && width == 1U << shift; ++end) {
        index += step;
        width = ranges.width(end);
        if (width > 1U << shift || ranges.index(end) != index || index >= run_limit >> shift) {
            break;
        }
    }
    return end;
}

unsigned end_of_leaf(const BinRanges& ranges, const Weights& weights, unsigned bounded, unsigned first) {
    const unsigned end = end_of_run(ranges, bounded, first);
    const bool is_uneven_pair = end == first + 2 && (weights.is_heavy(first) || weights.is_heavy(first + 1));
    return is_uneven_pair ? first + 1 : end;
}

}  // namespace

RangeLeaves find_leaves(const BinRanges& ranges, uint32_t* scratch) {
    const Weights weights(ranges);
    auto* const borders = reinterpret_cast<Border*>(scratch);
    unsigned bounded = ranges.count - 1;
    while (bounded > 0 && ranges.begins[bounded] > run_limit) {
        --bounded;
    }
    unsigned count = 0, end = 0;
    uint32_t below = 0;
    while (end < ranges.count) {
        unsigned range = end;
        end = end_of_leaf(ranges, weights, bounded, range);
        ++below;
        for (; range < end; ++range) {
            below += weights.of(range);
        }
        // Weights up to here have been read.
        borders[count++] = {end, below};
    }
    return {borders, count};
}

Run run_at(const BinRanges& ranges, unsigned first) {
    const unsigned shift = shift_at(ranges, first);
    const uint32_t boundary = ranges.end(first);
    const uint32_t index = ranges.index(first), next_index = ranges.index(first + 1);
    const bool is_descending = next_index < index;
    const uint32_t offset =
        is_descending ? boundary + (index << shift) - 1 : (next_index << shift) - boundary;
    return {offset, static_cast<uint8_t>(shift), 0, is_descending};
}

}  // namespace malloom::codegen::bins
