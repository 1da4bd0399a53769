// Wrong calls are answered, and leave the heap whole.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "tests/runtime/heaps/bins/small_heap.h"

namespace malloom::tests {
namespace {

malloom_bins_result opened_with(malloom_bins_settings settings, size_t storage_bytes = 1 << 16) {
    static std::array<uint64_t, 1 << 13> storage;
    malloom_bins heap;
    if (settings.storage == nullptr) {
        settings.storage = storage.data();
    }
    settings.storage_bytes = storage_bytes;
    return malloom_bins_open(&heap, &settings);
}

/// Heaps with sorted bins, and bounded ones.
class BadInput : public testing::TestWithParam<unsigned> {
  protected:
    static unsigned mode() { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Sorted, BadInput, testing::Values(0u));
INSTANTIATE_TEST_SUITE_P(Bounded, BadInput, testing::Values(unsigned{MALLOOM_BINS_BOUNDED}));

TEST(BadSettings, AreRefused) {
    constexpr uint32_t mixed[] = {0, 64, 48}, late[] = {8, 16, 32}, twice[] = {0, 16, 16};
    EXPECT_EQ(opened_with({}), MALLOOM_BINS_OK);
    for (const size_t alignment : {1u, 3u, 4u, 24u}) {
        EXPECT_EQ(opened_with({.alignment = alignment}), MALLOOM_BINS_BAD_ARGUMENT) << alignment;
    }
    EXPECT_EQ(opened_with({.bins = 126}), MALLOOM_BINS_BAD_ARGUMENT) << "the original has 127";
    for (const uint32_t* begins : {mixed, late, twice}) {
        EXPECT_EQ(opened_with({.bins = 3, .begins = begins}), MALLOOM_BINS_BAD_ARGUMENT);
    }
    EXPECT_EQ(opened_with({.bins = UINT32_MAX, .begins = mixed}), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(opened_with({.most_bins = 126}), MALLOOM_BINS_BAD_ARGUMENT) << "fewer than there are";
    EXPECT_EQ(opened_with({.most_bins = MALLOOM_BINS_MOST + 1}), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(opened_with({.most_bins = 200}, MALLOOM_BINS_STORAGE(200, 1) - 1), MALLOOM_BINS_TOO_SMALL);
    EXPECT_EQ(opened_with({.most_bins = 200}, MALLOOM_BINS_STORAGE(200, 1)), MALLOOM_BINS_OK);
    EXPECT_EQ(opened_with({.options = 128}), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(opened_with({.levels = MALLOOM_BINS_MOST_LEVELS + 1}), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(opened_with({}, MALLOOM_BINS_LISTS(127, 1) - 1), MALLOOM_BINS_TOO_SMALL);
    EXPECT_EQ(opened_with({}, MALLOOM_BINS_LISTS(127, 1)), MALLOOM_BINS_OK);
    EXPECT_EQ(opened_with({.options = MALLOOM_BINS_COUNT_STEPS}, MALLOOM_BINS_LISTS(127, 1)),
              MALLOOM_BINS_TOO_SMALL);
    char odd[16];
    EXPECT_EQ(opened_with({.storage = odd + 1}), MALLOOM_BINS_BAD_ARGUMENT);
}

TEST_P(BadInput, Regions) {
    SmallHeap small(0, {.options = mode()});
    alignas(64) std::array<unsigned char, 1 << 12> memory;
    const auto add = [&](size_t from, size_t bytes, unsigned level = 0) {
        return malloom_bins_add_region(&small.heap, memory.data() + from, bytes, level);
    };
    for (size_t bytes = 0; bytes < 64; ++bytes) {
        EXPECT_EQ(add(0, bytes), MALLOOM_BINS_TOO_SMALL) << bytes;
    }
    EXPECT_EQ(add(0, SIZE_MAX), MALLOOM_BINS_TOO_SMALL);
    for (size_t bytes = 17; bytes < 300; ++bytes) {
        auto* last = reinterpret_cast<void*>(UINTPTR_MAX - bytes);
        EXPECT_EQ(malloom_bins_add_region(&small.heap, last, 16, 0), MALLOOM_BINS_TOO_SMALL)
            << "addresses end behind it";
    }
    EXPECT_EQ(add(0, 1'000, 1), MALLOOM_BINS_BAD_ARGUMENT) << "there is one level";
    EXPECT_EQ(add(1'000, 1'000), MALLOOM_BINS_OK);
    for (const size_t from : {500u, 1'000u, 1'500u, 1'900u}) {
        EXPECT_EQ(add(from, 1'000), MALLOOM_BINS_OVERLAP) << from;
    }
    EXPECT_EQ(add(3, 997), MALLOOM_BINS_OK) << "what is misaligned loses a little";
    EXPECT_EQ(malloom_bins_remove_region(&small.heap, memory.data()), MALLOOM_BINS_BAD_ARGUMENT);
    void* const object = malloom_bins_alloc(&small.heap, 900);
    auto* const begin = memory.data() + (static_cast<unsigned char*>(object) < &memory[1'000] ? 3 : 1'000);
    EXPECT_EQ(malloom_bins_remove_region(&small.heap, begin), MALLOOM_BINS_IN_USE);
    EXPECT_TRUE(small.is_whole());
    malloom_bins_free(&small.heap, object);
    EXPECT_EQ(malloom_bins_remove_region(&small.heap, begin), MALLOOM_BINS_OK);
    EXPECT_TRUE(small.is_whole());
}

/// Which calls the heap has (options.h).
constexpr struct {
    unsigned options;
    bool samples;
} calls[] = {{0, false}, {MALLOOM_BINS_COUNT_STEPS, false}, {0, true}, {MALLOOM_BINS_THOROUGH, true}};

TEST_P(BadInput, WhatIsFreedTwice) {
    for (const auto [options, samples] : calls) {
        if (mode() != 0 && options == MALLOOM_BINS_THOROUGH) {
            continue;  // no heap is both
        }
        SmallHeap small(1 << 13, {.options = options | mode()}, samples);
        std::vector<void*> objects;
        for (int i = 0; i < 6; ++i) {
            objects.push_back(malloom_bins_alloc(&small.heap, 100));
        }
        // Alone, after one that is free, before one, and between two.
        for (const int chosen : {0, 1, 4, 3, 2}) {
            EXPECT_EQ(malloom_bins_free(&small.heap, objects[chosen]), MALLOOM_BINS_OK);
            EXPECT_NE(malloom_bins_free(&small.heap, objects[chosen]), MALLOOM_BINS_OK) << chosen;
            EXPECT_EQ(malloom_bins_realloc(&small.heap, objects[chosen], 7), nullptr);
            EXPECT_EQ(malloom_bins_usable_size(&small.heap, objects[chosen]), 0u);
            EXPECT_TRUE(small.is_whole());
        }
    }
}

TEST_P(BadInput, WhatIsFreedLaterTwice) {
    SmallHeap small(1 << 13, {.options = mode()});
    void* object = malloom_bins_alloc(&small.heap, 100);
    void* other = malloom_bins_alloc(&small.heap, 100);
    malloom_bins_free_later(&small.heap, object);
    malloom_bins_free_later(&small.heap, object);
    EXPECT_EQ(malloom_bins_free(&small.heap, other), MALLOOM_BINS_OK);
    malloom_bins_alloc(&small.heap, 10);  // a bounded heap judges one a call
    EXPECT_FALSE(small.noticed.failures.empty());
    EXPECT_TRUE(small.is_whole());
}

TEST_P(BadInput, ForeignAddresses) {
    for (const auto [options, samples] : calls) {
        if (mode() != 0 && options == MALLOOM_BINS_THOROUGH) {
            continue;  // no heap is both
        }
        SmallHeap small(1 << 13, {.options = options | mode()}, samples);
        auto* object = static_cast<char*>(malloom_bins_alloc(&small.heap, 100));
        memset(object, 0, 100);
        int elsewhere = 0;
        EXPECT_EQ(malloom_bins_free(&small.heap, &elsewhere), MALLOOM_BINS_FOREIGN);
        EXPECT_EQ(malloom_bins_free(&small.heap, object + 1), MALLOOM_BINS_FOREIGN);
        EXPECT_EQ(malloom_bins_free(&small.heap, small.region()), MALLOOM_BINS_FOREIGN);
        EXPECT_NE(malloom_bins_free(&small.heap, object + 16), MALLOOM_BINS_OK) << "within an object";
        EXPECT_EQ(malloom_bins_usable_size(&small.heap, &elsewhere), 0u);
        EXPECT_EQ(malloom_bins_realloc(&small.heap, &elsewhere, 10), nullptr);
        EXPECT_EQ(malloom_bins_free(&small.heap, nullptr), MALLOOM_BINS_OK);
        EXPECT_TRUE(small.is_whole());
        EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
    }
}

TEST(BadAddresses, AreKnownToThoroughHeaps) {
    SmallHeap small(1 << 13, {.options = MALLOOM_BINS_THOROUGH});
    auto* object = static_cast<size_t*>(malloom_bins_alloc(&small.heap, 320));
    // What looks like a chunk within an object, with a neighbour that agrees.
    object[1] = 64 | 3;
    object[1 + 64 / sizeof(size_t)] = 64 | 3;
    EXPECT_EQ(malloom_bins_free(&small.heap, object + 2), MALLOOM_BINS_FOREIGN);
    EXPECT_TRUE(small.is_whole());
}

// Somebody writes beyond the end of an object.
TEST_P(BadInput, OverwrittenTags) {
    for (const size_t written :
         {size_t{0}, SIZE_MAX, size_t{0x4141414141414141ull}, size_t{1} << 30, size_t{32}}) {
        for (const int chosen : {0, 1, 2, 3}) {
            const bool is_next_free = chosen % 2 != 0, is_plain = chosen / 2 != 0;
            SmallHeap small(1 << 13,
                            {.options = mode() | (is_plain ? 0u : unsigned{MALLOOM_BINS_CHECKED_LINKS})},
                            !is_plain);
            auto* object = static_cast<size_t*>(malloom_bins_alloc(&small.heap, 104));
            void* next = malloom_bins_alloc(&small.heap, 104);
            void* wall = malloom_bins_alloc(&small.heap, 104);
            if (is_next_free) {
                malloom_bins_free(&small.heap, next);
            }
            const size_t tag = object[13];
            object[13] = written;
            if ((written & 2) == 0 || is_next_free) {
                EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_DAMAGED) << written;
            }
            if (!is_next_free) {
                EXPECT_NE(malloom_bins_free(&small.heap, next), MALLOOM_BINS_OK) << written;
            }
            EXPECT_EQ(malloom_bins_check(&small.heap), MALLOOM_BINS_DAMAGED);
            object[13] = tag;
            EXPECT_TRUE(small.is_whole()) << "nothing else has changed";
            EXPECT_EQ(malloom_bins_free(&small.heap, wall), MALLOOM_BINS_OK);
        }
    }
}

// Somebody writes into an object that was freed.
TEST_P(BadInput, OverwrittenLinks) {
    SmallHeap small(1 << 13, {.options = mode() | MALLOOM_BINS_CHECKED_LINKS});
    void* object = malloom_bins_alloc(&small.heap, 104);
    void* wall = malloom_bins_alloc(&small.heap, 104);
    malloom_bins_free(&small.heap, object);
    uintptr_t links[2];
    memcpy(links, object, sizeof links);
    memset(object, 0x41, sizeof links);
    EXPECT_EQ(malloom_bins_alloc(&small.heap, 104), nullptr);
    EXPECT_EQ(small.noticed.failures.front(), MALLOOM_BINS_DAMAGED);
    EXPECT_EQ(malloom_bins_free(&small.heap, wall), MALLOOM_BINS_DAMAGED);
    memcpy(object, links, sizeof links);
    EXPECT_TRUE(small.is_whole());
}

// The chunk before is free, and somebody writes over its size at its end: where no chunk can begin, nothing
// is read, as a word that is not aligned is a fault on some machines.
TEST_P(BadInput, OverwrittenSizesOfTheChunkBefore) {
    for (const int chosen : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) {
        constexpr size_t words[] = {0, 1, 2, 5, 20, 36, 48, 1 << 20};
        const size_t written = words[chosen / 2];
        SmallHeap small(1 << 13, {.options = mode()}, chosen % 2 != 0);
        auto* object = static_cast<size_t*>(malloom_bins_alloc(&small.heap, 104));
        void* next = malloom_bins_alloc(&small.heap, 104);
        memset(object, 0x55, 104);
        malloom_bins_free(&small.heap, object);
        const size_t tag = object[12];
        object[12] = written;
        EXPECT_EQ(malloom_bins_free(&small.heap, next), MALLOOM_BINS_DAMAGED) << written;
        EXPECT_EQ(malloom_bins_check(&small.heap), MALLOOM_BINS_DAMAGED) << written;
        object[12] = tag;
        EXPECT_TRUE(small.is_whole());
    }
}

// A link to the last bytes of the region, where no chunk can be: beyond them nothing is read.
TEST_P(BadInput, LinksToTheEndOfARegion) {
    std::vector<uint64_t> storage(MALLOOM_BINS_LISTS(127, 1) / sizeof(uint64_t));
    malloom_bins heap;
    const malloom_bins_settings settings = {.options = mode() | MALLOOM_BINS_CHECKED_LINKS,
                                            .storage = storage.data(),
                                            .storage_bytes = storage.size() * sizeof(uint64_t)};
    for (size_t words = 1; words < 8; ++words) {
        std::vector<uint64_t> region(1 << 8);
        ASSERT_EQ(malloom_bins_open(&heap, &settings), MALLOOM_BINS_OK);
        ASSERT_EQ(malloom_bins_add_region(&heap, region.data(), region.size() * sizeof(uint64_t), 0),
                  MALLOOM_BINS_OK);
        auto* object = static_cast<uintptr_t*>(malloom_bins_alloc(&heap, 104));
        malloom_bins_alloc(&heap, 104);
        malloom_bins_free(&heap, object);
        const uintptr_t link = object[0];
        object[0] = reinterpret_cast<uintptr_t>(region.data() + region.size() - words);
        EXPECT_EQ(malloom_bins_alloc(&heap, 104), nullptr) << words;
        object[0] = link;
        EXPECT_EQ(malloom_bins_check(&heap), MALLOOM_BINS_OK);
    }
}

TEST_P(BadInput, Sizes) {
    SmallHeap small(1 << 13, {.options = mode()});
    void* object = malloom_bins_alloc(&small.heap, 10);
    for (const size_t bytes :
         {SIZE_MAX, SIZE_MAX - 8, SIZE_MAX / 2, SIZE_MAX / 4, size_t{1} << 32, size_t{9'000}}) {
        EXPECT_EQ(malloom_bins_alloc(&small.heap, bytes), nullptr) << bytes;
        EXPECT_EQ(malloom_bins_calloc(&small.heap, bytes, 3), nullptr) << bytes;
        EXPECT_EQ(malloom_bins_calloc(&small.heap, bytes, 1), nullptr) << bytes;
        EXPECT_EQ(malloom_bins_aligned(&small.heap, 64, bytes), nullptr) << bytes;
        EXPECT_EQ(malloom_bins_realloc(&small.heap, object, bytes), nullptr) << bytes;
    }
    for (const size_t alignment : {size_t{0}, size_t{3}, SIZE_MAX}) {
        EXPECT_EQ(malloom_bins_aligned(&small.heap, alignment, 10), nullptr);
        EXPECT_EQ(small.noticed.failures.back(), MALLOOM_BINS_BAD_ARGUMENT);
    }
    for (const size_t alignment : {SIZE_MAX / 2 + 1, SIZE_MAX / 4 + 1, SIZE_MAX / 8 + 1}) {
        for (const size_t bytes : {size_t{10}, SIZE_MAX / 4, SIZE_MAX / 4 + 1, SIZE_MAX}) {
            EXPECT_EQ(malloom_bins_aligned(&small.heap, alignment, bytes), nullptr) << alignment;
        }
    }
    EXPECT_TRUE(small.is_whole());
}

TEST_P(BadInput, Exhaustion) {
    SmallHeap small(1 << 13, {.options = mode()});
    std::vector<void*> objects;
    while (void* object = malloom_bins_alloc(&small.heap, 100)) {
        objects.push_back(object);
    }
    EXPECT_GT(objects.size(), 50u);
    EXPECT_EQ(small.noticed.failures, std::vector{MALLOOM_BINS_NO_MEMORY});
    EXPECT_EQ(malloom_bins_realloc(&small.heap, objects[0], 1'000), nullptr) << "it stays where it is";
    EXPECT_TRUE(small.is_whole());
    for (void* object : objects) {
        EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
    }
    EXPECT_EQ(small.statistics().free_chunks, 1u);
    EXPECT_TRUE(small.is_whole());
}

TEST_P(BadInput, CodeMemory) {
    SmallHeap small(1 << 13, {.options = mode()});
    alignas(64) std::array<unsigned char, 96> memory;
    for (const size_t bytes : {size_t{0}, size_t{8}, size_t{96}}) {
        const malloom_bins_code code = {.memory = memory.data(), .bytes = bytes};
        EXPECT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_AS_THEY_ARE, &code), MALLOOM_BINS_TOO_SMALL);
        EXPECT_TRUE(small.is_whole());
        void* const object = malloom_bins_alloc(&small.heap, 100);
        EXPECT_NE(object, nullptr);
        EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
    }
}

TEST(BadSettings, LargeAlignmentsDoNotOverflow) {
    EXPECT_EQ(opened_with({.alignment = SIZE_MAX / 16 + 1}), MALLOOM_BINS_BAD_ARGUMENT);
    SmallHeap small(0, {.alignment = SIZE_MAX / 32 + 1});
    for (const size_t bytes : {size_t{0}, SIZE_MAX / 4, SIZE_MAX}) {
        EXPECT_EQ(malloom_bins_alloc(&small.heap, bytes), nullptr);
        EXPECT_EQ(malloom_bins_aligned(&small.heap, SIZE_MAX / 2 + 1, bytes), nullptr);
    }
}

}  // namespace
}  // namespace malloom::tests
