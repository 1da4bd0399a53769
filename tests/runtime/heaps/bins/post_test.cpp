// Objects that are given back to a post, for a heap whose instance others do not see.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/runtime/heaps/bins/small_heap.h"

namespace malloom::tests {
namespace {

constexpr size_t room = 1 << 16;

TEST(Post, GivesToTheHeapWhatLiesInIt) {
    SmallHeap small(room);
    malloom_bins post = {};
    EXPECT_EQ(malloom_bins_collect(&small.heap, &post, nullptr), 0U);
    for (size_t bytes = 1; bytes <= 100; ++bytes) {
        malloom_bins_free_later(&post, malloom_bins_alloc(&small.heap, bytes));
    }
    EXPECT_EQ(small.statistics().living_objects, 100U);
    EXPECT_EQ(malloom_bins_collect(&small.heap, &post, nullptr), 100U);
    EXPECT_EQ(small.statistics().living_objects, 0U);
    EXPECT_EQ(small.noticed.freed, 100U);
    EXPECT_EQ(malloom_bins_check(&small.heap), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_collect(&small.heap, &post, nullptr), 0U);
}

TEST(Post, IsLockedOnlyWhereSomethingLiesInIt) {
    SmallHeap small(room, {}, false);
    malloom_bins post = {};
    Heard noticed;
    const malloom_bins_hooks hooks = hooks_of(noticed);
    EXPECT_EQ(malloom_bins_collect(&small.heap, &post, &hooks), 0U);
    EXPECT_EQ(noticed.locks, 0U);
    malloom_bins_free_later(&post, malloom_bins_alloc(&small.heap, 1));
    EXPECT_EQ(malloom_bins_collect(&small.heap, &post, &hooks), 1U);
    EXPECT_EQ(noticed.locks, 1U);
    EXPECT_EQ(noticed.unlocks, 1U);
}

TEST(Post, EndsWhereAnObjectLiesInItTwice) {
    SmallHeap small(room);
    malloom_bins post = {};
    void* const first = malloom_bins_alloc(&small.heap, 1);
    void* const second = malloom_bins_alloc(&small.heap, 1);
    malloom_bins_free_later(&post, first);
    malloom_bins_free_later(&post, second);
    malloom_bins_free_later(&post, second);
    EXPECT_EQ(malloom_bins_collect(&small.heap, &post, nullptr), 1U);
    EXPECT_EQ(small.noticed.failures, std::vector{MALLOOM_BINS_FREED_BEFORE});
    EXPECT_EQ(small.statistics().living_objects, 1U);
    EXPECT_EQ(malloom_bins_free(&small.heap, first), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_check(&small.heap), MALLOOM_BINS_OK);
}

TEST(Post, EndsAtAnothersObject) {
    SmallHeap small(room);
    SmallHeap other(room);
    malloom_bins post = {};
    void* const object = malloom_bins_alloc(&other.heap, 1);
    malloom_bins_free_later(&post, object);
    EXPECT_EQ(malloom_bins_collect(&small.heap, &post, nullptr), 0U);
    EXPECT_EQ(small.noticed.failures, std::vector{MALLOOM_BINS_FOREIGN});
    EXPECT_EQ(malloom_bins_free(&other.heap, object), MALLOOM_BINS_OK);
}

// The heap's own thread makes objects, and two others give them back.
TEST(Post, TakesFromOthersWhileTheHeapWorks) {
    constexpr size_t others = 2, objects = 4000;
    SmallHeap small(room * 16, {}, false);
    malloom_bins post = {};
    std::vector<void*> made(others * objects);
    for (void*& object : made) {
        object = malloom_bins_alloc(&small.heap, 8);
        ASSERT_NE(object, nullptr);
    }
    std::vector<std::thread> threads;
    for (size_t other = 0; other < others; ++other) {
        threads.emplace_back([&made, &post, other] {
            for (size_t index = other; index < made.size(); index += others) {
                malloom_bins_free_later(&post, made[index]);
            }
        });
    }
    size_t freed = 0;
    while (freed < made.size()) {
        freed += malloom_bins_collect(&small.heap, &post, nullptr);
        malloom_bins_free(&small.heap, malloom_bins_alloc(&small.heap, 100));
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(freed, made.size());
    EXPECT_EQ(small.statistics().living_objects, 0U);
    EXPECT_EQ(malloom_bins_check(&small.heap), MALLOOM_BINS_OK);
}

}  // namespace
}  // namespace malloom::tests
