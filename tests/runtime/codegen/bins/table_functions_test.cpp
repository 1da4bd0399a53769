// Bin functions in plain code against each other.
#include "runtime/codegen/bins/table_functions.h"

#include <gtest/gtest.h>

#include "tests/runtime/codegen/bins/layouts.h"

namespace malloom::tests {
namespace {

using namespace codegen::bins;

/// Around each begin, and some of every magnitude.
std::vector<size_t> sizes_of(const Layout& layout) {
    std::vector<size_t> sizes = {0, 1, UINT32_MAX, SIZE_MAX, size_t{UINT32_MAX} + 1};
    for (const uint32_t begin : layout.begins) {
        for (const size_t size : {begin - size_t{1}, size_t{begin}, begin + size_t{1}}) {
            sizes.push_back(size);
        }
    }
    for (unsigned bit = 0; bit < 32; ++bit) {
        for (size_t part = 0; part < 16; ++part) {
            sizes.push_back((size_t{1} << bit) + (part << bit >> 4));
        }
    }
    return sizes;
}

unsigned expected_bin(const BinRanges& ranges, size_t size) {
    unsigned range = ranges.count - 1;
    while (range > 0 && ranges.begin(range) > size) {
        --range;
    }
    return ranges.index(range);
}

TEST(TableFunctionsTest, AllAgree) {
    for (const Layout& layout : various_layouts()) {
        const BinRanges ranges = layout.ranges();
        const bool has_table = ranges.count <= ByteTable::most_table_ranges;
        const ByteTable table(has_table ? ranges : original_layout().ranges());
        for (const size_t size : sizes_of(layout)) {
            const unsigned expected = expected_bin(ranges, size);
            ASSERT_EQ(branching_search(ranges, size), expected) << layout.name << ", " << size;
            ASSERT_EQ(branchless_search(ranges, size), expected) << layout.name << ", " << size;
            if (has_table) {
                ASSERT_EQ(table.bin(size), expected) << layout.name << ", " << size;
            }
        }
    }
}

TEST(TableFunctionsTest, OriginalIsDlmallocs) {
    const Layout layout = original_layout();
    EXPECT_EQ(layout.begins[63], 504U);
    EXPECT_EQ(layout.begins[64], 512U);
    EXPECT_EQ(layout.begins[96], 2560U);
    EXPECT_EQ(layout.begins[112], 10752U);
    EXPECT_EQ(layout.begins[120], 40960U);
    EXPECT_EQ(layout.begins[126], 524288U);
    for (size_t size = 0; size < 2 << 20; ++size) {
        ASSERT_EQ(original_bin(size), branchless_search(layout.ranges(), size)) << size;
    }
    for (const size_t size : sizes_of(layout)) {
        ASSERT_EQ(original_bin(size), expected_bin(layout.ranges(), size)) << size;
    }
}

TEST(TableFunctionsTest, OctavesHaveEightParts) {
    EXPECT_EQ(octave_part(63), 7U);
    EXPECT_EQ(octave_part(64), 8U);
    EXPECT_EQ(octave_part(127), 15U);
    EXPECT_EQ(octave_part(128), 16U);
    EXPECT_EQ(octave_part(UINT32_MAX), octave_parts - 1);
    for (const unsigned count : {1U, 8U, 9U, 127U, octave_parts}) {
        const Layout layout = octave_layout(count);
        for (const size_t size : sizes_of(layout)) {
            ASSERT_EQ(octave_bin(size, count), expected_bin(layout.ranges(), size)) << size;
        }
    }
}

}  // namespace
}  // namespace malloom::tests
