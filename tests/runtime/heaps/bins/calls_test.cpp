// Heaps that need less than others have calls of their own (options.h), which do the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "runtime/heaps/bins/options.h"
#include "tests/runtime/heaps/bins/code_pages.h"
#include "tests/runtime/heaps/bins/small_heap.h"

namespace malloom::tests {
namespace {

using namespace heaps::bins;

constexpr bool quiet = false;

TEST(Calls, AreCarefulWhereSomethingRareIsAskedFor) {
    EXPECT_EQ(malloom_bins{}.calls, general_calls);
    EXPECT_EQ(SmallHeap(1 << 12).heap.calls, general_calls) << "it has hooks";
    for (const unsigned option :
         {MALLOOM_BINS_CLEAR_ON_FREE, MALLOOM_BINS_CHECKED_LINKS, MALLOOM_BINS_THOROUGH}) {
        EXPECT_EQ(SmallHeap(1 << 12, {.options = option}, quiet).heap.calls, general_calls) << option;
    }
    SmallHeap small(1 << 12, {}, quiet);
    EXPECT_EQ(calls_of(small.heap), original_calls);
    malloom_bins_free_later(&small.heap, malloom_bins_alloc(&small.heap, 1));
    EXPECT_EQ(calls_of(small.heap), general_calls) << "something is to be freed first";
    malloom_bins_alloc(&small.heap, 1);
    EXPECT_EQ(calls_of(small.heap), original_calls);
}

TEST(Calls, KnowDlmallocsBins) {
    constexpr uint32_t begins[] = {0, 64, 4'096};
    EXPECT_EQ(SmallHeap(1 << 12, {.options = MALLOOM_BINS_BOUNDED}, quiet).heap.calls, original_calls);
    EXPECT_EQ(SmallHeap(1 << 12, {.bins = 3, .begins = begins}, quiet).heap.calls, plain_calls);
    EXPECT_EQ(SmallHeap(1 << 12, {.function = malloom_bins_variable}, quiet).heap.calls, plain_calls);
}

TEST(Calls, ChangeWithTheHeap) {
    SmallHeap small(1 << 16, {}, quiet);
    CodePages pages;
    malloom_bins_count(&small.heap, MALLOOM_BINS_COUNT_INSERTIONS);
    EXPECT_EQ(small.heap.calls, plain_calls);
    malloom_bins_free(&small.heap, malloom_bins_alloc(&small.heap, 100));
    malloom_bins_count(&small.heap, 0);
    EXPECT_EQ(small.heap.calls, original_calls);
    EXPECT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_AS_THEY_ARE, &pages.code), MALLOOM_BINS_OK);
    EXPECT_EQ(small.heap.calls, plain_calls);
}

TEST(Calls, HearOfReleasesWhileBinsAreLaidOutAutomatically) {
    SmallHeap small(1 << 16, {}, quiet);
    std::vector<uint64_t> storage(MALLOOM_BINS_AUTOMATIC_STORAGE(127) / sizeof(uint64_t) + 1);
    malloom_bins_automatic_settings settings = {};
    settings.ranges = MALLOOM_BINS_BY_COST;
    settings.storage = storage.data();
    settings.storage_bytes = storage.size() * sizeof(uint64_t);
    ASSERT_EQ(malloom_bins_rehash_automatically(&small.heap, &settings), MALLOOM_BINS_OK);
    EXPECT_EQ(small.heap.calls, original_sampling_calls);
    EXPECT_EQ(malloom_bins_rehash_automatically(&small.heap, nullptr), MALLOOM_BINS_OK);
    EXPECT_EQ(small.heap.calls, original_calls);
    small.heap.function = malloom_bins_variable;
    ASSERT_EQ(malloom_bins_rehash_automatically(&small.heap, &settings), MALLOOM_BINS_OK);
    EXPECT_EQ(small.heap.calls, sampling_calls);
}

/// Where the objects lie that a sequence of calls makes, from the region's begin on; -1 for none.
std::vector<ptrdiff_t> places(SmallHeap& small) {
    std::mt19937 random(7);
    std::vector<ptrdiff_t> found;
    std::vector<void*> objects;
    for (int step = 0; step < 20'000; ++step) {
        if (random() % 2 == 0 && !objects.empty()) {
            std::swap(objects[random() % objects.size()], objects.back());
            EXPECT_EQ(malloom_bins_free(&small.heap, objects.back()), MALLOOM_BINS_OK);
            objects.pop_back();
            continue;
        }
        void* object = malloom_bins_alloc(&small.heap, random() % (step % 8 == 0 ? 6'000 : 300));
        found.push_back(object != nullptr ? static_cast<char*>(object) - static_cast<char*>(small.region())
                                          : -1);
        if (object != nullptr) {
            objects.push_back(object);
        }
    }
    EXPECT_TRUE(small.is_whole());
    return found;
}

TEST(Calls, ChooseTheSamePlaces) {
    for (const unsigned options : {0u, static_cast<unsigned>(MALLOOM_BINS_BOUNDED)}) {
        SmallHeap original(1 << 14, {.options = options}, quiet);
        SmallHeap plain(1 << 14, {.options = options | MALLOOM_BINS_COUNT_STEPS}, quiet);
        SmallHeap searched(1 << 14, {.function = malloom_bins_variable, .options = options}, quiet);
        SmallHeap general(1 << 14, {.options = options});
        const std::vector<ptrdiff_t> expected = places(original);
        EXPECT_GT(std::count(expected.begin(), expected.end(), -1), 10) << "it was full at times";
        EXPECT_EQ(places(plain), expected);
        EXPECT_EQ(places(searched), expected);
        EXPECT_EQ(places(general), expected);
        EXPECT_EQ(original.heap.failures, general.heap.failures);
    }
}

TEST(Calls, GoOnToTheNextLevel) {
    for (const bool samples : {false, true}) {
        SmallHeap small(1 << 10, {.levels = 3}, samples);
        std::array<uint64_t, 1 << 9> slow;
        ASSERT_EQ(malloom_bins_add_region(&small.heap, slow.data(), sizeof slow, 2), MALLOOM_BINS_OK);
        std::vector<void*> objects;
        while (void* object = malloom_bins_alloc(&small.heap, 100)) {
            objects.push_back(object);
        }
        EXPECT_GT(objects.size(), 35u);
        for (void* object : objects) {
            EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
        }
        EXPECT_TRUE(small.is_whole());
        EXPECT_EQ(small.statistics().free_chunks, 2u);
    }
}

}  // namespace
}  // namespace malloom::tests
