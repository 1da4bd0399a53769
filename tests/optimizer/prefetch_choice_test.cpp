#include "optimizer/prefetch_choice.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace malloom::optimizer {
namespace {

constexpr size_t entries = 128;
constexpr uintptr_t stack = 0x7ffd00000000, heap = 0x550000000000;
constexpr uint8_t none = TraceProfile::most_loads;

using Walk = std::function<uintptr_t(size_t entry)>;

Walk strided(int64_t stride, uintptr_t first = heap) {
    return [=](size_t entry) { return first + static_cast<uintptr_t>(stride) * entry; };
}

Walk scattered(uint64_t seed) {
    return [random = std::mt19937_64(seed)](size_t) mutable { return heap + random() % (1 << 30); };
}

/// What is chosen for a trace whose loads, one a column, make these walks.
std::vector<ChosenPrefetch> chosen_for(std::vector<Walk> walks, std::vector<uint8_t> producers = {}) {
    auto profile = std::make_unique<TraceProfile>();
    profile->begin(walks.size());
    producers.resize(TraceProfile::most_loads, none);
    for (size_t entry = 0; entry < entries; ++entry) {
        const size_t row = entries - 1 - entry;
        profile->stacks[row] = stack;
        for (size_t i = 0; i < walks.size(); ++i) profile->references[i][row] = walks[i](entry);
    }
    std::vector<ChosenPrefetch> chosen(8);
    const ThreadRows rows(*profile, entries);
    chosen.resize(choose_prefetches(rows, walks.size(), producers.data(), {}, chosen.data(), chosen.size()));
    return chosen;
}

TEST(ChoosePrefetches, ChoosesStridedLoadsOnly) {
    const auto chosen = chosen_for({scattered(1), strided(64), strided(8), strided(-48), strided(0)});
    ASSERT_EQ(chosen.size(), 2u);
    EXPECT_EQ(chosen[0].column, 1u);
    EXPECT_EQ(chosen[0].stride, 64);
    EXPECT_EQ(chosen[1].column, 3u);
    EXPECT_EQ(chosen[1].stride, -48);
}

TEST(ChoosePrefetches, GivesEqualReferencesOnePrefetch) {
    EXPECT_EQ(chosen_for({strided(64), strided(64), strided(64)}).size(), 1u);
    EXPECT_EQ(chosen_for({strided(64), strided(64, heap + 4096)}).size(), 2u);
}

TEST(ChoosePrefetches, LeavesTheStackAlone) {
    EXPECT_EQ(chosen_for({strided(64, stack + 4096)}).size(), 0u);
    EXPECT_EQ(chosen_for({strided(-64, stack - 4096)}).size(), 0u);
}

TEST(ChoosePrefetches, GoesThroughWordsThatAreReadInOrder) {
    for (const int64_t stride : {4, 8, 64, -8}) {
        const auto chosen = chosen_for({strided(stride), scattered(1)}, {none, 0});
        ASSERT_GE(chosen.size(), 1u);
        EXPECT_EQ(chosen.back().column, 1u);
        EXPECT_TRUE(chosen.back().is_indirect);
        EXPECT_EQ(chosen.back().stride, stride);
    }
}

TEST(ChoosePrefetches, DoesNotGoThroughWordsThatAreNot) {
    EXPECT_EQ(chosen_for({scattered(1), scattered(2)}, {none, 0}).size(), 0u);
    EXPECT_EQ(chosen_for({strided(8), scattered(2)}).size(), 0u);
}

TEST(ChoosePrefetches, WantsTargetsThatLieInDifferentLines) {
    EXPECT_EQ(chosen_for({strided(8), strided(4, heap + 8192)}, {none, 0}).size(), 0u);
}

TEST(ChoosePrefetches, ChoosesNoMoreThanThereIsRoomFor) {
    std::vector<Walk> walks;
    for (uintptr_t i = 0; i < TraceProfile::most_loads; ++i) walks.push_back(strided(64, heap + i * 8192));
    EXPECT_EQ(chosen_for(walks).size(), 8u);
}

TEST(ChoosePrefetches, IsNotMisledByARandomWalk) {
    for (uint64_t seed = 0; seed < 300; ++seed) EXPECT_EQ(chosen_for({scattered(seed)}).size(), 0u);
}

}  // namespace
}  // namespace malloom::optimizer
