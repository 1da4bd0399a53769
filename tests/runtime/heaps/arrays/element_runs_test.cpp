// Runs of units in memory of the test's own.
#include "runtime/heaps/arrays/element_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace malloom::tests {
namespace {

using heaps::ElementRuns;

class ElementRunsTest : public testing::Test {
  protected:
    static constexpr size_t unit_bytes = 12;  // so that links lie anywhere
    static constexpr uint32_t units = 1 << 17;

    ElementRunsTest() { runs_.open(tags_.data(), reinterpret_cast<uintptr_t>(memory_.data()), unit_bytes); }
    ElementRuns::Taken take(uint32_t count) {
        ElementRuns::Taken taken = runs_.take_free(count);
        if (taken.units == 0) {
            EXPECT_LE(runs_.end_after(count), units);
            taken = runs_.take_last(count);
        }
        EXPECT_EQ(taken.units, count);
        return taken;
    }

    std::vector<uint8_t> tags_ = std::vector<uint8_t>(units);
    std::vector<unsigned char> memory_ = std::vector<unsigned char>(units * unit_bytes);
    ElementRuns runs_;
};

TEST_F(ElementRunsTest, RunsFollowEachOther) {
    for (uint32_t count = 1, end = 0; count < 300; end += count++) {
        const ElementRuns::Taken taken = take(count);
        EXPECT_EQ(taken.first, end);
        EXPECT_EQ(taken.used_before, 0U);
    }
}

TEST_F(ElementRunsTest, FreeNeighboursBecomeOneRun) {
    for (const uint32_t count : {1U, 2U, 40U, 63U, 64U, 65U, 5'000U}) {
        for (const auto& order : {std::vector{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {2, 0, 1}}) {
            std::vector<ElementRuns::Taken> taken;
            for (int i = 0; i < 3; ++i) {
                taken.push_back(take(count));
            }
            take(1);  // so that the end is not theirs
            for (const int each : order) {
                EXPECT_EQ(runs_.give(taken[each].first), count);
            }
            const ElementRuns::Taken all = take(3 * count);
            EXPECT_EQ(all.first, taken[0].first);
            EXPECT_EQ(all.used_before, 3 * count);
        }
    }
}

TEST_F(ElementRunsTest, AFreeRunAtTheEndGrows) {
    take(10);
    const uint32_t last = take(200).first;
    runs_.give(last);
    EXPECT_EQ(runs_.end_after(1'000), last + 1'000);
    const ElementRuns::Taken grown = take(1'000);
    EXPECT_EQ(grown.first, last);
    EXPECT_EQ(grown.used_before, 200U);
}

TEST_F(ElementRunsTest, TheRestOfALongerRunStaysFree) {
    const uint32_t first = take(1'000).first;
    take(1);
    runs_.give(first);
    EXPECT_EQ(take(300).first, first);
    EXPECT_EQ(take(700).first, first + 300);
}

TEST_F(ElementRunsTest, WhatWaitsIsNeitherInUseNorFree) {
    const uint32_t first = take(7).first;
    const uint32_t neighbour = take(7).first;
    take(1);
    EXPECT_EQ(runs_.set_waiting(first, 6), 0U) << "too long";
    EXPECT_EQ(runs_.set_waiting(first + 1, 16), 0U) << "begins none";
    EXPECT_EQ(runs_.set_waiting(units + 5, 16), 0U) << "lies outside";
    EXPECT_EQ(runs_.set_waiting(first, 16), 7U);
    EXPECT_EQ(runs_.set_waiting(first, 16), 0U) << "waits already";
    EXPECT_FALSE(runs_.is_run(first));
    EXPECT_TRUE(runs_.is_free(first)) << "to the program";
    runs_.give(neighbour);
    EXPECT_EQ(take(7).first, neighbour) << "they have not become one";
    runs_.set_used(first, 7);
    EXPECT_EQ(runs_.give(first), 7U);
}

TEST_F(ElementRunsTest, IdleRunsAreDiscardedOnce) {
    const uint32_t small = take(4).first;
    take(1);
    const uint32_t large = take(1'000).first;
    take(1);
    runs_.give(small);
    runs_.give(large);
    EXPECT_EQ(runs_.idle_units(), 1'004U);
    std::vector<std::pair<uint32_t, uint32_t>> discarded;
    const auto note = [&](uint32_t first, uint32_t count) { discarded.emplace_back(first, count); };
    runs_.discard_idle(100, note);
    EXPECT_EQ(discarded, (std::vector<std::pair<uint32_t, uint32_t>>{{large, 1'000}}));
    EXPECT_EQ(runs_.idle_units(), 0U);
    runs_.discard_idle(100, note);
    EXPECT_EQ(discarded.size(), 1U);
    EXPECT_TRUE(take(600).was_discarded);
    EXPECT_TRUE(take(400).was_discarded) << "the rest of a discarded run is discarded too";
    EXPECT_FALSE(take(4).was_discarded);
}

/// What is in use, by the first unit.
using Model = std::map<uint32_t, uint32_t>;

void expect_same(const ElementRuns& runs, const Model& model) {
    uint32_t end = 0;
    for (uint32_t unit = 0; unit < runs.end(); ++unit) {
        const auto found = model.find(unit);
        ASSERT_EQ(runs.is_run(unit), found != model.end()) << unit;
        end = found != model.end() ? unit + found->second : end;
        if (unit % 61 == 0) {
            ASSERT_EQ(runs.is_free(unit), unit >= end) << unit;
        }
    }
}

TEST_F(ElementRunsTest, RandomRunsNeverOverlap) {
    std::mt19937 random(3);
    Model model;
    uint32_t used = 0;
    for (int step = 0; step < 30'000; ++step) {
        if (random() % 5 < 3 && used < units / 8) {
            const uint32_t count = random() % (random() % 8 == 0 ? 2'000 : 30) + 1;
            const ElementRuns::Taken taken = take(count);
            const auto [at, is_new] = model.emplace(taken.first, count);
            ASSERT_TRUE(is_new);
            ASSERT_TRUE(at == model.begin() || std::prev(at)->first + std::prev(at)->second <= at->first);
            ASSERT_TRUE(std::next(at) == model.end() || at->first + count <= std::next(at)->first);
            used += count;
        } else if (!model.empty()) {
            auto at = model.lower_bound(random() % runs_.end());
            at = at == model.end() ? model.begin() : at;
            ASSERT_EQ(runs_.give(at->first), at->second);
            used -= at->second;
            model.erase(at);
        }
        if (step % 5'000 == 0) {
            expect_same(runs_, model);
        }
    }
    for (const auto& [first, count] : model) {
        runs_.give(first);
    }
    EXPECT_EQ(take(runs_.end()).first, 0U) << "all that is free is one run";
}

TEST_F(ElementRunsTest, WhatIsWrittenIntoAFreeRunLeadsNowhere) {
    const uint32_t first = take(10).first;
    take(1);
    const uint32_t second = take(10).first;
    take(1);
    runs_.give(first);
    runs_.give(second);
    std::fill_n(memory_.begin() + second * unit_bytes, unit_bytes, 'A');
    EXPECT_TRUE(runs_.is_valid()) << "the program's fault";
    EXPECT_DEATH(take(10), "written to after it was freed");
}

#if defined(MALLOOM_CHECKED)
TEST_F(ElementRunsTest, RunsThatDoNotFollowEachOtherAreAFault) {
    const uint32_t first = take(10).first;
    take(20);
    runs_.give(first);
    EXPECT_TRUE(runs_.is_valid());
    EXPECT_DEATH(
        {
            --tags_[first];
            runs_.discard_idle(1, [](uint32_t, uint32_t) {});
        },
        "malloom: fault of malloom's own: element_runs.h:.*is_valid");
}
#endif

}  // namespace
}  // namespace malloom::tests
