// What each call of include/malloom/bins.h does.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "tests/runtime/heaps/bins/small_heap.h"

extern "C" int bins_from_c(void);

namespace malloom::tests {
namespace {

TEST(Bins, ProgramsInCHaveThem) {
    EXPECT_EQ(bins_from_c(), 1);
}

TEST(Bins, AFewHundredBytesAreAHeap) {
    SmallHeap small(256);
    void* object = malloom_bins_alloc(&small.heap, 40);
    ASSERT_NE(object, nullptr);
    memset(object, 1, 40);
    EXPECT_TRUE(small.is_whole());
    EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
    EXPECT_EQ(small.statistics().living_objects, 0u);
    EXPECT_EQ(small.statistics().free_chunks, 1u) << "free neighbours join";
}

TEST(Bins, TheSmallestChunkThatIsLargeEnoughServes) {
    SmallHeap small(1 << 16);
    std::vector<void*> objects, walls;
    for (const size_t bytes : {3'000u, 700u, 1'500u, 760u}) {
        objects.push_back(malloom_bins_alloc(&small.heap, bytes));
        walls.push_back(malloom_bins_alloc(&small.heap, 16));
    }
    for (void* object : objects) {
        malloom_bins_free(&small.heap, object);
    }
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 740), objects[3]);
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 690), objects[1]);
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 1'499), objects[2]);
    EXPECT_TRUE(small.is_whole());
}

TEST(Bins, RestsOfLargerChunksServeLater) {
    SmallHeap small(1 << 12);
    auto* first = static_cast<char*>(malloom_bins_alloc(&small.heap, 100));
    auto* second = static_cast<char*>(malloom_bins_alloc(&small.heap, 100));
    EXPECT_EQ(second - first, 112) << "a size before it and the next multiple of 16";
    EXPECT_EQ(malloom_bins_usable_size(&small.heap, first), 104u);
}

TEST(Bins, RegionsComeAndGo) {
    SmallHeap small(1'024);
    std::array<uint64_t, 512> more;
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 2'000), nullptr);
    EXPECT_EQ(malloom_bins_add_region(&small.heap, more.data(), sizeof more, 0), MALLOOM_BINS_OK);
    void* object = malloom_bins_alloc(&small.heap, 2'000);
    ASSERT_NE(object, nullptr);
    EXPECT_EQ(malloom_bins_remove_region(&small.heap, more.data()), MALLOOM_BINS_IN_USE);
    EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_remove_region(&small.heap, more.data()), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 2'000), nullptr);
    EXPECT_TRUE(small.is_whole());
    EXPECT_EQ(malloom_bins_remove_region(&small.heap, small.region()), MALLOOM_BINS_OK);
    EXPECT_EQ(small.statistics().region_bytes, 0u);
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 1), nullptr);
}

TEST(Bins, FastMemoryComesFirst) {
    SmallHeap small(0, {.levels = 2});
    std::array<uint64_t, 64> fast;
    std::array<uint64_t, 512> slow;
    ASSERT_EQ(malloom_bins_add_region(&small.heap, slow.data(), sizeof slow, 1), MALLOOM_BINS_OK);
    ASSERT_EQ(malloom_bins_add_region(&small.heap, fast.data(), sizeof fast, 0), MALLOOM_BINS_OK);
    const auto is_fast = [&](void* object) { return object >= fast.begin() && object < fast.end(); };
    std::vector<void*> objects;
    for (int i = 0; i < 8; ++i) {
        objects.push_back(malloom_bins_alloc(&small.heap, 100));
    }
    EXPECT_TRUE(is_fast(objects[0]));
    EXPECT_FALSE(is_fast(objects[7]));
    EXPECT_FALSE(is_fast(malloom_bins_alloc(&small.heap, 1'000))) << "too large for the fast one";
    malloom_bins_free(&small.heap, objects[0]);
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 100), objects[0]);
    EXPECT_TRUE(small.is_whole());
}

TEST(Bins, ReallocStaysWhereItCan) {
    SmallHeap small(1 << 14);
    auto* object = static_cast<unsigned char*>(malloom_bins_alloc(&small.heap, 100));
    memset(object, 7, 100);
    EXPECT_EQ(malloom_bins_realloc(&small.heap, object, 5'000), object) << "nothing lies after it";
    EXPECT_EQ(malloom_bins_realloc(&small.heap, object, 50), object);
    void* wall = malloom_bins_alloc(&small.heap, 50);
    EXPECT_LT(wall, object + 200) << "in what the shrunk one left";
    auto* moved = static_cast<unsigned char*>(malloom_bins_realloc(&small.heap, object, 1'000));
    EXPECT_NE(moved, object);
    for (int at = 0; at < 50; ++at) {
        EXPECT_EQ(moved[at], 7);
    }
    EXPECT_EQ(malloom_bins_realloc(&small.heap, moved, 1 << 20), nullptr);
    EXPECT_EQ(moved[0], 7) << "it lives on";
    EXPECT_TRUE(small.is_whole());
}

TEST(Bins, AlignedObjectsLieAtMultiples) {
    SmallHeap small(1 << 18);
    std::vector<void*> objects;
    for (size_t alignment = 1; alignment <= 1 << 14; alignment *= 2) {
        for (const size_t bytes : {1u, 33u, 100u}) {
            objects.push_back(malloom_bins_aligned(&small.heap, alignment, bytes));
            ASSERT_NE(objects.back(), nullptr) << alignment;
            EXPECT_EQ(reinterpret_cast<uintptr_t>(objects.back()) % alignment, 0u);
            EXPECT_GE(malloom_bins_usable_size(&small.heap, objects.back()), bytes);
            EXPECT_TRUE(small.is_whole());
        }
    }
    for (void* object : objects) {
        EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
    }
    EXPECT_EQ(small.statistics().free_chunks, 1u);
}

TEST(Bins, TheAlignmentIsAParameter) {
    for (const size_t alignment : {8u, 16u, 32u, 64u, 256u}) {
        SmallHeap small(1 << 14, {.alignment = alignment});
        for (size_t bytes = 0; bytes < 200; bytes += 7) {
            void* object = malloom_bins_alloc(&small.heap, bytes);
            ASSERT_NE(object, nullptr) << alignment << " " << bytes;
            EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % alignment, 0u);
            EXPECT_GE(malloom_bins_usable_size(&small.heap, object), bytes);
        }
        EXPECT_TRUE(small.is_whole());
    }
}

TEST(Bins, ZeroedObjectsAreZero) {
    SmallHeap small(1 << 12, {.options = MALLOOM_BINS_CLEAR_ON_FREE});
    for (int round = 0; round < 3; ++round) {
        auto* object = static_cast<unsigned char*>(malloom_bins_calloc(&small.heap, 7, 11));
        for (int at = 0; at < 77; ++at) {
            ASSERT_EQ(object[at], 0);
        }
        memset(object, 0xff, 77);
        malloom_bins_free(&small.heap, object);
        EXPECT_EQ(object[40], 0) << "cleared when freed";
    }
}

// What is behind the last bin has a bit of its own in the words of filled bins.
TEST(Bins, AsManyAsThereMayBeServe) {
    std::vector<uint32_t> begins(MALLOOM_BINS_MOST);
    for (uint32_t bin = 0; bin < MALLOOM_BINS_MOST; ++bin) {
        begins[bin] = 16 * bin;
    }
    SmallHeap small(1 << 18, {.bins = MALLOOM_BINS_MOST, .begins = begins.data()});
    std::vector<void*> objects;
    for (size_t bytes = 16; bytes < 17'000; bytes += 700) {
        objects.push_back(malloom_bins_alloc(&small.heap, bytes));
        ASSERT_NE(objects.back(), nullptr) << bytes;
    }
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 1 << 18), nullptr);
    for (size_t i = 0; i < objects.size(); i += 2) {
        malloom_bins_free(&small.heap, objects[i]);
    }
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 1 << 18), nullptr)
        << "none of the smaller ones is taken for it";
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_AS_THEY_ARE, nullptr), MALLOOM_BINS_OK);
        EXPECT_TRUE(small.is_whole());
    }
}

TEST(Bins, WhatIsFreedLaterIsFreedByTheNextCall) {
    for (const unsigned options : {0u, static_cast<unsigned>(MALLOOM_BINS_BOUNDED)}) {
        SmallHeap small(1 << 12, {.options = options});
        std::vector<void*> objects;
        for (int i = 0; i < 5; ++i) {
            objects.push_back(malloom_bins_alloc(&small.heap, 100));
        }
        for (void* object : objects) {
            EXPECT_EQ(malloom_bins_free_later(&small.heap, object), MALLOOM_BINS_OK);
        }
        EXPECT_EQ(small.statistics().living_objects, 5u);
        malloom_bins_free(&small.heap, malloom_bins_alloc(&small.heap, 8));
        EXPECT_EQ(small.statistics().living_objects, options == 0 ? 0u : 3u)
            << "two calls, one each if bounded";
        EXPECT_TRUE(small.is_whole());
    }
}

TEST(Bins, OwnersHearOfEachObject) {
    SmallHeap small(1 << 12);
    void* object = malloom_bins_alloc(&small.heap, 10);
    object = malloom_bins_realloc(&small.heap, object, 20);
    malloom_bins_free(&small.heap, object);
    EXPECT_EQ(small.noticed.made, 2u);
    EXPECT_EQ(small.noticed.freed, 1u);
    EXPECT_GE(small.noticed.locks, 4u);
    malloom_bins_free_later(&small.heap, malloom_bins_alloc(&small.heap, 0));
    EXPECT_EQ(small.noticed.made, 3u) << "of no bytes too";
    malloom_bins_free(&small.heap, malloom_bins_alloc(&small.heap, 10));
    EXPECT_EQ(small.noticed.freed, 3u) << "later too";
}

TEST(Bins, StatisticsSayWhatThereIs) {
    SmallHeap small(4'096);
    const size_t all = small.statistics().free_bytes;
    EXPECT_EQ(small.statistics().largest_bytes, all - sizeof(size_t));
    void* object = malloom_bins_alloc(&small.heap, 1'000);
    EXPECT_EQ(small.statistics().free_bytes, all - 1'008);
    EXPECT_EQ(malloom_bins_alloc(&small.heap, small.statistics().largest_bytes + 1), nullptr);
    EXPECT_NE(malloom_bins_alloc(&small.heap, small.statistics().largest_bytes), nullptr);
    malloom_bins_free(&small.heap, object);
    EXPECT_EQ(small.statistics().least_free_bytes, 0u);
    EXPECT_EQ(small.statistics().failures, 1u);
    EXPECT_EQ(small.noticed.failures, std::vector{MALLOOM_BINS_NO_MEMORY});
}

TEST(Bins, TheOriginalsTableIsItsFunction) {
    SmallHeap small(0);
    for (size_t bytes = 0; bytes < 1 << 21; ++bytes) {
        ASSERT_EQ(malloom_bins_variable(bytes, &small.heap), malloom_bins_original(bytes, &small.heap))
            << bytes;
    }
}

TEST(Bins, BinsOfTheOwner) {
    constexpr uint32_t begins[] = {0, 64, 128, 1'024};
    SmallHeap small(1 << 14, {.bins = 4, .begins = begins});
    std::vector<void*> objects;
    for (size_t bytes = 1; bytes < 2'000; bytes = bytes * 3 / 2 + 5) {
        objects.push_back(malloom_bins_alloc(&small.heap, bytes));
        ASSERT_NE(objects.back(), nullptr);
    }
    for (size_t i = 0; i < objects.size(); i += 2) {
        malloom_bins_free(&small.heap, objects[i]);
    }
    EXPECT_TRUE(small.is_whole());
}

/// What was counted in all bins.
uint32_t counted(const malloom_bins& heap) {
    uint32_t sum = 0;
    for (unsigned bin = 0; bin < heap.bins; ++bin) {
        sum += heap.counts[bin];
    }
    return sum;
}

TEST(Bins, ARestStaysInTheListOfItsChunkWhereItBelongs) {
    for (const unsigned bounded : {0u, unsigned{MALLOOM_BINS_BOUNDED}}) {
        SmallHeap small(1 << 17, {.options = bounded | MALLOOM_BINS_COUNT_INSERTIONS});
        const uint32_t at_first = counted(small.heap);
        char* const first = static_cast<char*>(malloom_bins_alloc(&small.heap, 100));
        char* const second = static_cast<char*>(malloom_bins_alloc(&small.heap, 100));
        EXPECT_LT(first, second) << "from the front";
        EXPECT_EQ(counted(small.heap), at_first) << "it was put into no list";
        EXPECT_NE(malloom_bins_alloc(&small.heap, 1 << 16), nullptr);
        EXPECT_EQ(counted(small.heap), at_first + 1) << "half of it belongs elsewhere";
        EXPECT_TRUE(small.is_whole());
    }
}

}  // namespace
}  // namespace malloom::tests
