// Bin functions that are not generated, to compare with and for where no code can be: all have the same bins
// for the same ranges. Sizes are bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/codegen/bins/bin_ranges.h"
#include "runtime/codegen/bins/bits.h"

namespace malloom::codegen::bins {

constexpr unsigned original_count = 127;
/// dlmalloc 2.6's, compiled in.
inline unsigned original_bin(size_t bytes) {
    const size_t lines = bytes >> 9;
    if (lines == 0) {
        return static_cast<unsigned>(bytes >> 3);
    }
    if (lines <= 4) {
        return static_cast<unsigned>(56 + (bytes >> 6));
    }
    if (lines <= 20) {
        return static_cast<unsigned>(91 + (bytes >> 9));
    }
    if (lines <= 84) {
        return static_cast<unsigned>(110 + (bytes >> 12));
    }
    if (lines <= 340) {
        return static_cast<unsigned>(119 + (bytes >> 15));
    }
    return lines <= 1364 ? static_cast<unsigned>(124 + (bytes >> 18)) : original_count - 1;
}
/// Where its bins begin: original_count of them.
void original_begins(uint32_t* begins);

/// Binary searches in the begins of ranges. What the branching one jumps on, the other one selects by.
unsigned branching_search(const BinRanges& ranges, size_t bytes);
unsigned branchless_search(const BinRanges& ranges, size_t bytes);
/// The number of the range, without jumps as well.
unsigned range_of(const uint32_t* begins, unsigned count, size_t bytes);

/// Octaves of eight equal parts each, from 64 bytes on; parts of 8 bytes below: TLSF's two levels (Masmano
/// and others 2004), in one number.
inline unsigned octave_part(uint32_t bytes) {
    constexpr unsigned linear = 6, bits = 3;
    const unsigned width = bit_width(bytes);
    const unsigned shift = width > linear ? width - 1 - bits : bits;
    return ((shift - bits) << bits) + (bytes >> shift);
}
/// The parts of all sizes of 32 bits.
constexpr unsigned octave_parts = 8 + 26 * 8;

/// A bin for each part; the last one of `count` has all larger sizes too.
unsigned octave_bin(size_t bytes, unsigned count);
void octave_begins(uint32_t* begins, unsigned count);

/// A byte for each 8 bytes of small sizes, and for each part of an octave of larger ones: the range in which
/// it begins. From there on the begins are searched one by one.
class ByteTable {
  public:
    static constexpr unsigned small_bytes = 1024;
    static constexpr unsigned most_table_ranges = 256;

    /// At most most_table_ranges; they stay where they are.
    explicit ByteTable(const BinRanges& ranges);

    unsigned bin(size_t bytes) const;

  private:
    static constexpr unsigned small_cells = small_bytes / 8;
    static constexpr unsigned first_part = 8 + 4 * 8;  ///< octave_part of small_bytes
    static unsigned cell_of(uint32_t bytes) {
        return bytes < small_bytes ? bytes / 8 : small_cells - first_part + octave_part(bytes);
    }
    static uint32_t begin_of(unsigned cell);

    BinRanges ranges_;
    uint8_t first_range_[small_cells + octave_parts - first_part];
};

}  // namespace malloom::codegen::bins
