#include "runtime/codegen/bins/table_functions.h"

namespace malloom::codegen::bins {

void original_begins(uint32_t* begins) {
    // Bins of one width are half as many as those of the width before: 64 of 8 bytes, 32 of 64, and so on.
    // The last one of each width reaches into sizes of the next one, up to 2^18 bytes each time.
    uint32_t begin = 0;
    unsigned width = 3, end = 64;
    for (unsigned bin = 0; bin < original_count; ++bin) {
        if (bin == end) {
            width += 3;
            end = (end + 128) / 2;
        }
        begins[bin] = begin;
        begin = ((begin >> width) + 1) << width;
        if (bin == 111) {
            begin = 21 << 9;
        }
    }
}

unsigned branching_search(const BinRanges& ranges, size_t bytes) {
    unsigned first = 0, end = ranges.count;
    while (end - first > 1) {
        const unsigned middle = first + (end - first) / 2;
        if (bytes < ranges.begins[middle]) {
            end = middle;
        } else {
            first = middle;
        }
    }
    return ranges.index(first);
}

unsigned range_of(const uint32_t* begins, unsigned count, size_t bytes) {
    unsigned first = 0;
    while (count > 1) {
        const unsigned half = count / 2;
        const unsigned is_above = begins[first + half] <= bytes ? 1 : 0;
        first += half & (0U - is_above);
        count -= half;
    }
    return first;
}

unsigned branchless_search(const BinRanges& ranges, size_t bytes) {
    return ranges.index(range_of(ranges.begins, ranges.count, bytes));
}

unsigned octave_bin(size_t bytes, unsigned count) {
    if (bytes > UINT32_MAX) {
        return count - 1;
    }
    const unsigned part = octave_part(static_cast<uint32_t>(bytes));
    return part < count ? part : count - 1;
}

void octave_begins(uint32_t* begins, unsigned count) {
    for (unsigned part = 0; part < count; ++part) {
        begins[part] = part < 8 ? part * 8 : (8 + part % 8) << (part / 8 + 2);
    }
}

uint32_t ByteTable::begin_of(unsigned cell) {
    if (cell < small_cells) {
        return cell * 8;
    }
    const unsigned part = cell - small_cells + first_part;
    return (8 + part % 8) << (part / 8 + 2);
}

// Member by member: as a whole the ranges would be copied by memcpy, where GCC looks for small code on
// RISC-V.
ByteTable::ByteTable(const BinRanges& ranges)
    : ranges_{ranges.begins, ranges.indices, ranges.weights, ranges.count} {
    unsigned range = 0;
    for (unsigned cell = 0; cell < sizeof first_range_; ++cell) {
        while (range + 1 < ranges.count && ranges.end(range) <= begin_of(cell)) {
            ++range;
        }
        first_range_[cell] = static_cast<uint8_t>(range);
    }
}

unsigned ByteTable::bin(size_t bytes) const {
    unsigned range = ranges_.count - 1;
    if (bytes <= UINT32_MAX) {
        range = first_range_[cell_of(static_cast<uint32_t>(bytes))];
        while (range + 1 < ranges_.count && bytes >= ranges_.begins[range + 1]) {
            ++range;
        }
    }
    return ranges_.index(range);
}

}  // namespace malloom::codegen::bins
