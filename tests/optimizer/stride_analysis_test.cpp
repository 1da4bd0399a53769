#include "optimizer/stride_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace malloom::optimizer {
namespace {

using References = std::vector<uintptr_t>;

StrideRun run_of(const References& references) {
    return longest_run(references.data(), references.size());
}

References walk(uintptr_t first, int64_t stride, size_t count) {
    References references;
    for (size_t i = 0; i < count; ++i) references.push_back(first + static_cast<uintptr_t>(stride) * i);
    return references;
}

// The definition, word for word and slowly.
size_t longest_by_definition(const References& references) {
    size_t longest = 0;
    for (size_t first = 0; first + 1 < references.size(); ++first) {
        const uintptr_t stride = references[first + 1] - references[first];
        size_t last = first + 1;
        while (last + 1 < references.size() && references[last + 1] - references[last] == stride) ++last;
        longest = std::max(longest, last - first);
    }
    return longest;
}

TEST(LongestRun, OfFewerThanTwoReferencesIsEmpty) {
    EXPECT_EQ(run_of({}).length, 0u);
    EXPECT_EQ(run_of({4096}).length, 0u);
}

TEST(LongestRun, OfAWalkIsTheWholeWalk) {
    for (const int64_t stride : {1L, 16L, 48L, 4096L, -8L, -64L, 0L}) {
        const StrideRun run = run_of(walk(1 << 30, stride, 100));
        EXPECT_EQ(run.stride, stride);
        EXPECT_EQ(run.length, 99u);
    }
}

TEST(LongestRun, OfTwoEquallyLongOnesIsTheFirst) {
    EXPECT_EQ(run_of({0, 8, 16, 32, 48}).stride, 8);
}

TEST(LongestRun, WrapsAroundTheAddressSpaceLikeTheProcessor) {
    EXPECT_EQ(run_of(walk(~uintptr_t{0} - 31, 32, 4)).stride, 32);
    EXPECT_EQ(run_of(walk(~uintptr_t{0} - 31, 32, 4)).length, 3u);
}

TEST(LongestRun, AgreesWithItsDefinitionOnRandomReferences) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 2000; ++round) {
        References references{1 << 20};
        while (references.size() < 64) references.push_back(references.back() + random() % 3 * 16);
        const StrideRun run = run_of(references);
        EXPECT_EQ(run.length, longest_by_definition(references));
    }
}

TEST(LongestRun, OfReversedReferencesHasTheOppositeStride) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 500; ++round) {
        References references = walk(random() >> 20, static_cast<int64_t>(random() % 512) - 256, 40);
        const StrideRun forward = run_of(references);
        std::reverse(references.begin(), references.end());
        EXPECT_EQ(run_of(references).stride, -forward.stride);
        EXPECT_EQ(run_of(references).length, forward.length);
    }
}

TEST(Delinquency, WantsARunLongerThanHalfOfTheEntries) {
    const StrideRules rules;
    EXPECT_FALSE(is_delinquent({64, 64}, 128, rules));
    EXPECT_TRUE(is_delinquent({64, 65}, 128, rules));
}

TEST(Delinquency, WantsAQuarterOfALineUpOrDown) {
    const StrideRules rules;
    for (const int64_t stride : {0L, 8L, 15L, -8L, -15L})
        EXPECT_FALSE(is_delinquent({stride, 127}, 128, rules));
    for (const int64_t stride : {16L, 64L, 4096L, -16L, -96L})
        EXPECT_TRUE(is_delinquent({stride, 127}, 128, rules));
}

TEST(Delinquency, NeverComesFromStandingStill) {
    const StrideRules rules{64, 0};
    EXPECT_FALSE(is_delinquent({0, 127}, 128, rules));
}

TEST(SameReferences, AreEqualInLengthAndPlace) {
    const References one = walk(1 << 20, 64, 20);
    References other = one;
    EXPECT_TRUE(are_same_references(one.data(), 20, other.data(), 20));
    EXPECT_FALSE(are_same_references(one.data(), 20, other.data(), 19));
    other[19] += 8;
    EXPECT_FALSE(are_same_references(one.data(), 20, other.data(), 20));
}

}  // namespace
}  // namespace malloom::optimizer
