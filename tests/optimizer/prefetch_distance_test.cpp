#include "optimizer/prefetch_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace malloom::optimizer {
namespace {

DistanceRule rule_of(uint64_t lines, bool whole_strides = true) {
    return {lines, 64, whole_strides};
}

TEST(PrefetchDistance, IsThePapersWithoutWholeStrides) {
    EXPECT_EQ(rule_of(5, false).for_stride(32).bytes, 5 * 64 + 32);
    EXPECT_EQ(rule_of(5, false).for_stride(192).bytes, 5 * 64 + 192);
    EXPECT_EQ(rule_of(5, false).for_stride(-32).bytes, -5 * 64 - 32);
}

TEST(PrefetchDistance, HasThePapersConstantsByDefault) {
    EXPECT_EQ(DistanceRule{}.for_stride(64), rule_of(5).for_stride(64));
    EXPECT_EQ(DistanceRule{}.for_stride(64).bytes, 5 * 64 + 64);
}

TEST(PrefetchDistance, FallsOnALaterReference) {
    for (int64_t stride = 1; stride < 5000; ++stride) {
        for (const uint64_t lines : {1, 2, 5, 10, 20}) {
            const int64_t distance = rule_of(lines).for_stride(stride).bytes;
            EXPECT_EQ(distance % stride, 0);
            EXPECT_GE(distance, 2 * stride);
            EXPECT_LE(std::abs(distance - stride - static_cast<int64_t>(lines * 64)),
                      std::max(stride / 2, stride - static_cast<int64_t>(lines * 64)) + 1);
            EXPECT_EQ(rule_of(lines).for_stride(-stride).bytes, -distance);
        }
    }
}

TEST(PrefetchDistance, CountsInLinesOfTheGivenLength) {
    EXPECT_EQ((DistanceRule{5, 128, false}.for_stride(64).bytes), 5 * 128 + 64);
}

TEST(PrefetchDistance, IsNoneWhereNoInstructionHasRoomForIt) {
    const auto most = static_cast<int64_t>(most_distance_bytes);
    EXPECT_EQ(rule_of(5).for_stride(most / 2).bytes, most);
    for (const int64_t stride : {most / 2 + 1, most, int64_t{1} << 32, INT64_MAX, INT64_MIN, -most / 2 - 1})
        EXPECT_TRUE(rule_of(5).for_stride(stride).is_none()) << stride;
    EXPECT_TRUE(rule_of(5, false).for_stride(most).is_none());
}

TEST(PrefetchDistance, AddedToADisplacementStaysWithinAnInstruction) {
    const auto most = static_cast<int64_t>(most_distance_bytes);
    EXPECT_EQ(displaced(-8, 4096), 4088);
    EXPECT_EQ(displaced(INT_MAX - 8, most), INT_MAX);
    EXPECT_EQ(displaced(INT_MIN + 8, -most), INT_MIN);
}

}  // namespace
}  // namespace malloom::optimizer
