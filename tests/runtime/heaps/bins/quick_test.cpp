// Quick lists in front of a heap.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "tests/runtime/heaps/bins/small_heap.h"

namespace malloom::tests {
namespace {

constexpr bool quiet = false;
constexpr size_t most_bytes = 200;
constexpr unsigned most_each = 4;

class QuickHeap : public SmallHeap {
  public:
    explicit QuickHeap(size_t region_bytes, malloom_bins_settings settings = {})
        : SmallHeap(region_bytes, settings, quiet),
          lists_(MALLOOM_BINS_QUICK_STORAGE(most_bytes, 2 * sizeof(void*)) /
                 sizeof(malloom_bins_quick_list)) {
        EXPECT_EQ(malloom_bins_quick_open(&quick, &heap, most_bytes, most_each, lists_.data(),
                                          lists_.size() * sizeof(malloom_bins_quick_list)),
                  MALLOOM_BINS_OK);
    }
    void* alloc(size_t bytes) { return malloom_bins_quick_alloc(&quick, bytes); }
    malloom_bins_result free(void* object) { return malloom_bins_quick_free(&quick, object); }
    size_t settle() { return malloom_bins_quick_settle(&quick); }

    malloom_bins_quick quick = {};

  private:
    std::vector<malloom_bins_quick_list> lists_;
};

/// Sorted bins, bounded ones, and counters, with which the heap has other calls.
class Quick : public testing::TestWithParam<unsigned> {
  protected:
    static malloom_bins_settings settings() { return {.options = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Heaps, Quick,
                         testing::Values(0u, unsigned{MALLOOM_BINS_BOUNDED},
                                         unsigned{MALLOOM_BINS_COUNT_STEPS}));

TEST_P(Quick, ServesWhatWasGivenBackLast) {
    QuickHeap small(1 << 14, settings());
    void* const first = small.alloc(40);
    void* const second = small.alloc(40);
    void* const other = small.alloc(80);
    for (void* object : {first, second, other}) {
        EXPECT_EQ(small.free(object), MALLOOM_BINS_OK);
    }
    EXPECT_EQ(small.statistics().living_objects, 3u) << "the heap takes them for living ones";
    EXPECT_EQ(small.alloc(40), second);
    EXPECT_EQ(small.alloc(40), first);
    EXPECT_EQ(small.alloc(80), other);
    EXPECT_TRUE(small.is_whole());
}

TEST_P(Quick, KeepsNoMoreThanItMay) {
    QuickHeap small(1 << 14, settings());
    std::vector<void*> objects;
    for (unsigned object = 0; object < 2 * most_each; ++object) {
        objects.push_back(small.alloc(64));
    }
    void* const large = small.alloc(10 * most_bytes);
    for (void* object : objects) {
        EXPECT_EQ(small.free(object), MALLOOM_BINS_OK);
    }
    EXPECT_EQ(small.free(large), MALLOOM_BINS_OK);
    EXPECT_EQ(small.statistics().living_objects, most_each);
    EXPECT_EQ(small.settle(), most_each);
    EXPECT_EQ(small.settle(), 0u);
    EXPECT_EQ(small.statistics().living_objects, 0u);
    EXPECT_EQ(small.statistics().free_chunks, 1u);
    EXPECT_TRUE(small.is_whole());
}

TEST_P(Quick, ChunksWithARestServeTheSameRequestAgain) {
    QuickHeap small(1 << 14, settings());
    // A place that is larger than what is asked for, by less than a chunk.
    void* const place = small.alloc(most_bytes + 2 * sizeof(void*));
    void* const wall = small.alloc(1);
    ASSERT_EQ(small.free(place), MALLOOM_BINS_OK);
    small.settle();
    void* const object = small.alloc(most_bytes);
    if (GetParam() != MALLOOM_BINS_BOUNDED) {
        ASSERT_EQ(object, place) << "the best fit";
    }
    ASSERT_EQ(small.free(object), MALLOOM_BINS_OK);
    EXPECT_EQ(small.alloc(most_bytes), object);
    EXPECT_EQ(small.free(wall), MALLOOM_BINS_OK);
}

TEST_P(Quick, WhatIsKeptServesALargerRequestThatFindsNoRoom) {
    QuickHeap small(1 << 12, settings());
    std::vector<void*> objects;
    while (void* object = small.alloc(objects.size() % most_bytes)) {
        objects.push_back(object);
    }
    EXPECT_EQ(small.heap.failures, 1u);
    for (void* object : objects) {
        EXPECT_EQ(small.free(object), MALLOOM_BINS_OK);
    }
    EXPECT_GT(small.statistics().living_objects, 0u);
    const size_t all = (1 << 12) - 200;
    EXPECT_NE(small.alloc(all), nullptr) << "all of it is free";
    EXPECT_EQ(small.alloc(all), nullptr);
    EXPECT_EQ(small.heap.failures, 2u) << "one that succeeds in the end has not failed";
    EXPECT_TRUE(small.is_whole());
}

TEST_P(Quick, AnObjectThatIsKeptIsNotFreedTwice) {
    QuickHeap small(1 << 14, settings());
    void* const first = small.alloc(40);
    void* const second = small.alloc(40);
    EXPECT_EQ(small.free(first), MALLOOM_BINS_OK);
    EXPECT_EQ(small.free(second), MALLOOM_BINS_OK);
    for (void* object : {first, second}) {
        EXPECT_EQ(small.free(object), MALLOOM_BINS_FREED_BEFORE);
        EXPECT_EQ(malloom_bins_quick_realloc(&small.quick, object, 80), nullptr);
    }
    EXPECT_EQ(small.heap.failures, 0u) << "of requests";
    EXPECT_EQ(small.free(&small), MALLOOM_BINS_FOREIGN);
    EXPECT_EQ(small.free(static_cast<char*>(small.alloc(100)) + 1), MALLOOM_BINS_FOREIGN);
    EXPECT_EQ(small.free(nullptr), MALLOOM_BINS_OK);
    EXPECT_EQ(small.settle(), 2u);
    EXPECT_TRUE(small.is_whole());
}

TEST_P(Quick, AnObjectThatLooksKeptIsFreed) {
    QuickHeap small(1 << 14, settings());
    auto* const object = static_cast<const void**>(small.alloc(2 * sizeof(void*)));
    object[0] = object;
    object[1] = &small.quick;
    EXPECT_EQ(small.free(object), MALLOOM_BINS_OK);
    EXPECT_EQ(small.free(object), MALLOOM_BINS_FREED_BEFORE);
    EXPECT_EQ(small.settle(), 1u);
}

TEST_P(Quick, WhatInterruptsGaveBackIsFreedFirst) {
    QuickHeap small(1 << 14, settings());
    void* const object = small.alloc(100);
    EXPECT_EQ(malloom_bins_free_later(&small.heap, object), MALLOOM_BINS_OK);
    void* const next = small.alloc(20);
    EXPECT_EQ(small.heap.deferred, 0u);
    EXPECT_EQ(malloom_bins_free_later(&small.heap, next), MALLOOM_BINS_OK);
    EXPECT_EQ(small.free(small.alloc(30)), MALLOOM_BINS_OK);
    EXPECT_EQ(small.statistics().living_objects, 1u) << "the one that is kept";
}

TEST_P(Quick, CallocClearsAndReallocMoves) {
    QuickHeap small(1 << 14, settings());
    auto* const dirty = static_cast<unsigned char*>(small.alloc(60));
    std::fill_n(dirty, 60, 0xff);
    EXPECT_EQ(small.free(dirty), MALLOOM_BINS_OK);
    auto* object = static_cast<unsigned char*>(malloom_bins_quick_calloc(&small.quick, 6, 10));
    EXPECT_EQ(object, dirty);
    EXPECT_EQ(std::count(object, object + 60, 0), 60);
    object[59] = 7;
    void* const wall = small.alloc(1);
    auto* const moved = static_cast<unsigned char*>(malloom_bins_quick_realloc(&small.quick, object, 3'000));
    ASSERT_NE(moved, nullptr);
    EXPECT_NE(moved, object);
    EXPECT_EQ(moved[59], 7);
    EXPECT_EQ(small.alloc(60), object) << "it was kept";
    EXPECT_EQ(malloom_bins_quick_realloc(&small.quick, moved, 100), moved);
    EXPECT_EQ(malloom_bins_quick_calloc(&small.quick, SIZE_MAX, 2), nullptr);
    EXPECT_NE(malloom_bins_quick_realloc(&small.quick, nullptr, 10), nullptr);
    EXPECT_EQ(small.free(wall), MALLOOM_BINS_OK);
    EXPECT_TRUE(small.is_whole());
}

TEST_P(Quick, RequestsAtRandomLeaveTheHeapWhole) {
    QuickHeap small(1 << 14, settings());
    std::mt19937 random(11);
    std::vector<void*> objects;
    for (int step = 0; step < 30'000; ++step) {
        if (random() % 2 == 0 && !objects.empty()) {
            std::swap(objects[random() % objects.size()], objects.back());
            ASSERT_EQ(small.free(objects.back()), MALLOOM_BINS_OK);
            objects.pop_back();
        } else if (void* object = small.alloc(random() % (step % 8 == 0 ? 3'000 : 150)); object != nullptr) {
            std::memset(object, step, malloom_bins_usable_size(&small.heap, object));
            objects.push_back(object);
        }
    }
    EXPECT_GT(small.heap.failures, 10u) << "it was full at times";
    EXPECT_TRUE(small.is_whole());
    small.settle();
    EXPECT_EQ(small.statistics().living_objects, objects.size());
    EXPECT_TRUE(small.is_whole());
}

TEST(QuickLists, OnlyWhatLiesOnTheFirstLevelIsKept) {
    QuickHeap small(1 << 10, {.levels = 2});
    alignas(16) std::array<unsigned char, 1 << 12> slow;
    ASSERT_EQ(malloom_bins_add_region(&small.heap, slow.data(), slow.size(), 1), MALLOOM_BINS_OK);
    std::vector<void*> objects;
    while (void* object = small.alloc(100)) {
        objects.push_back(object);
    }
    for (void* object : objects) {
        EXPECT_EQ(small.free(object), MALLOOM_BINS_OK);
    }
    EXPECT_EQ(small.settle(), most_each);
    EXPECT_EQ(malloom_bins_remove_region(&small.heap, slow.data()), MALLOOM_BINS_OK);
}

TEST(QuickLists, AreRefusedWhereTheyWouldHideSomething) {
    std::array<malloom_bins_quick_list, 64> lists;
    malloom_bins_quick quick;
    const auto opened = [&](malloom_bins& heap, size_t bytes, unsigned each, size_t storage_bytes) {
        return malloom_bins_quick_open(&quick, &heap, bytes, each, lists.data(), storage_bytes);
    };
    for (const unsigned option :
         {MALLOOM_BINS_CLEAR_ON_FREE, MALLOOM_BINS_CHECKED_LINKS, MALLOOM_BINS_THOROUGH}) {
        SmallHeap rare(1 << 12, {.options = option}, quiet);
        EXPECT_EQ(opened(rare.heap, 100, 1, sizeof lists), MALLOOM_BINS_BAD_ARGUMENT) << option;
    }
    SmallHeap traced(1 << 12);
    EXPECT_EQ(opened(traced.heap, 100, 1, sizeof lists), MALLOOM_BINS_BAD_ARGUMENT);
    malloom_bins nothing = {};
    EXPECT_EQ(opened(nothing, 100, 1, sizeof lists), MALLOOM_BINS_BAD_ARGUMENT) << "it is not open";
    SmallHeap small(1 << 12, {}, quiet);
    EXPECT_EQ(opened(small.heap, 100, 0, sizeof lists), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(opened(small.heap, 100, 1, 16), MALLOOM_BINS_TOO_SMALL);
    EXPECT_EQ(opened(small.heap, SIZE_MAX, 1, sizeof lists), MALLOOM_BINS_TOO_SMALL);
    EXPECT_EQ(opened(small.heap, 100, 1, MALLOOM_BINS_QUICK_STORAGE(100, 2 * sizeof(void*))),
              MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_quick_open(&quick, &small.heap, 100, 1, nullptr, sizeof lists),
              MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(malloom_bins_quick_open(&quick, &small.heap, 100, 1, reinterpret_cast<char*>(lists.data()) + 1,
                                      sizeof lists - sizeof lists[0]),
              MALLOOM_BINS_BAD_ARGUMENT);
}

}  // namespace
}  // namespace malloom::tests
