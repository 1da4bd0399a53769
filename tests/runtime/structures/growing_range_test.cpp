#include "runtime/structures/growing_range.h"

#include <gtest/gtest.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <bit>
#include <thread>
#include <vector>

namespace malloom::tests {
namespace {

using structures::GrowingRange;

TEST(GrowingRange, GrowsByStepsFromItsBeginning) {
    constexpr size_t step = size_t{1} << 20;
    GrowingRange range;
    EXPECT_TRUE(range.reach(0));
    EXPECT_FALSE(range.reach(1));
    ASSERT_TRUE(range.open(10 * step, 4 * step, step));
    EXPECT_EQ(range.base() % (4 * step), 0u);
    EXPECT_EQ(range.usable(), 0u);
    EXPECT_FALSE(range.holds(range.base()));
    ASSERT_TRUE(range.reach(1));
    EXPECT_EQ(range.usable(), step);
    EXPECT_TRUE(range.holds(range.base()) && range.holds(range.base() + step - 1));
    EXPECT_FALSE(range.holds(range.base() - 1) || range.holds(range.base() + step));
    memset(reinterpret_cast<void*>(range.base()), 1, step);
    ASSERT_TRUE(range.reach(3 * step));
    memset(reinterpret_cast<void*>(range.base() + step), 1, 2 * step);
    EXPECT_TRUE(range.reach(1)) << "it never shrinks";
    EXPECT_EQ(range.usable(), 3 * step);
    EXPECT_TRUE(range.reach(10 * step));
    EXPECT_FALSE(range.reach(10 * step + 1));
    range.close();
    EXPECT_EQ(range.bytes(), 0u);
}

constexpr size_t thread_step = size_t{64} << 10;
constexpr size_t thread_steps = 256;

// Threads that ask for steps of different sizes.
void reach_at_the_same_time(GrowingRange& range) {
    std::vector<std::thread> threads;
    for (size_t first = 1; first <= 4; ++first) {
        threads.emplace_back([&range, first] {
            for (size_t i = first; i <= thread_steps; i += first) {
                EXPECT_TRUE(range.reach(i * thread_step));
                EXPECT_GE(range.usable(), i * thread_step);
                __atomic_store_n(reinterpret_cast<char*>(range.base() + i * thread_step - first), 1,
                                 __ATOMIC_RELAXED);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(range.usable(), thread_steps * thread_step);
}

TEST(GrowingRange, ThreadsMayReachAtTheSameTime) {
    GrowingRange range;
    ASSERT_TRUE(range.open(thread_steps * thread_step, thread_step, thread_step));
    reach_at_the_same_time(range);
    range.close();
}

// There the system refuses what another thread has got a moment before.
TEST(GrowingRange, ThreadsMayReachAtTheSameTimeInASpan) {
    constexpr size_t bytes = thread_steps * thread_step;
    for (int round = 0; round < 20; ++round) {
        platform::AddressSpan span;
        ASSERT_TRUE(span.open(bytes + thread_step));
        GrowingRange range;
        ASSERT_TRUE(range.open(span, bytes, thread_step, thread_step));
        reach_at_the_same_time(range);
        range.close();
        span.close();
    }
}

TEST(GrowingRangeDeathTest, WhatIsNotReachedCannotBeTouched) {
    GrowingRange range;
    ASSERT_TRUE(range.open(size_t{1} << 20, 4096, size_t{64} << 10));
    ASSERT_TRUE(range.reach(1));
    EXPECT_DEATH(*reinterpret_cast<volatile char*>(range.base() + (size_t{64} << 10)) = 1, "");
    range.close();
}

// A seeded fault, in the word that says how much is usable.
TEST(GrowingRangeDeathTest, APartOfAStepIsAFault) {
    GrowingRange range;
    ASSERT_TRUE(range.open(size_t{1} << 20, 4096, size_t{64} << 10));
    ASSERT_TRUE(range.reach(size_t{128} << 10) && range.is_valid());
    auto words = std::bit_cast<std::array<size_t, sizeof(GrowingRange) / sizeof(size_t)>>(range);
    std::ranges::replace(words, range.usable(), range.usable() + 4096);
    auto damaged = std::bit_cast<GrowingRange>(words);
    EXPECT_DEATH(damaged.reach(size_t{256} << 10),
                 "malloom: fault of malloom's own: growing_range.cpp:.*is_valid");
    range.close();
}

}  // namespace
}  // namespace malloom::tests
