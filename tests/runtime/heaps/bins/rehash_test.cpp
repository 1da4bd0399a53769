// Bins that are laid out anew while the heap is used.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tests/runtime/heaps/bins/code_pages.h"
#include "tests/runtime/heaps/bins/small_heap.h"

namespace malloom::tests {
namespace {

/// Makes and frees objects of few sizes.
void use(SmallHeap& small, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<void*> objects;
    for (int step = 0; step < 4'000; ++step) {
        if (objects.size() > 100 || (random() % 2 == 0 && !objects.empty())) {
            std::swap(objects[random() % objects.size()], objects.back());
            EXPECT_EQ(malloom_bins_free(&small.heap, objects.back()), MALLOOM_BINS_OK);
            objects.pop_back();
        } else {
            objects.push_back(malloom_bins_alloc(&small.heap, 500 + random() % 8 * 40));
            ASSERT_NE(objects.back(), nullptr);
        }
    }
    for (void* object : objects) {
        malloom_bins_free(&small.heap, object);
    }
}

TEST(Rehash, LeavesTheHeapWhole) {
    for (const unsigned options : {0u, static_cast<unsigned>(MALLOOM_BINS_BOUNDED)}) {
        for (const auto ranges : {MALLOOM_BINS_AS_THEY_ARE, MALLOOM_BINS_LINEAR, MALLOOM_BINS_SMOOTH,
                                  MALLOOM_BINS_BY_COST, MALLOOM_BINS_BY_OCTAVE}) {
            SmallHeap small(1 << 18, {.options = options | MALLOOM_BINS_COUNT_INSERTIONS, .levels = 2});
            CodePages pages;
            for (unsigned round = 0; round < 9; ++round) {
                use(small, round);
                EXPECT_EQ(malloom_bins_rehash(&small.heap, ranges, &pages.code), MALLOOM_BINS_OK);
                EXPECT_TRUE(small.is_whole()) << round;
            }
            EXPECT_EQ(pages.writes, 9);
        }
    }
}

TEST(Rehash, EndsCodeWithinALine) {
    for (const size_t shift : {0u, 4u, 12u, 16u, 20u, 28u}) {
        SmallHeap small(1 << 18, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
        void* const pages =
            mmap(nullptr, 8'192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(pages, MAP_FAILED);
        const malloom_bins_code code = {.memory = static_cast<unsigned char*>(pages) + shift, .bytes = 8'000};
        EXPECT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_AS_THEY_ARE, &code), MALLOOM_BINS_OK);
        // Behind the last byte that was written all are 0, as the pages were; a return is none on any
        // machine.
        const unsigned char* end = code.memory + code.bytes;
        while (end[-1] == 0) {
            --end;
        }
        EXPECT_LE((reinterpret_cast<uintptr_t>(end) + 3) / 4 * 4 % 32, 16u) << shift;
        EXPECT_GT((reinterpret_cast<uintptr_t>(end) + 3) / 4 * 4 % 32, 0u) << shift;
        munmap(pages, 8'192);
    }
}

TEST(Rehash, SearchesWhereNoCodeCanBe) {
    SmallHeap small(1 << 18, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
    use(small, 1);
    EXPECT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_LINEAR, nullptr), MALLOOM_BINS_OK);
    EXPECT_EQ(small.heap.function, &malloom_bins_variable);
    use(small, 2);
    EXPECT_TRUE(small.is_whole());
    alignas(8) unsigned char little[64];
    const malloom_bins_code code = {little, sizeof little, 0, nullptr, nullptr, nullptr, nullptr};
    EXPECT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_LINEAR, &code), MALLOOM_BINS_TOO_SMALL);
    EXPECT_EQ(small.heap.function, &malloom_bins_variable);
    EXPECT_TRUE(small.is_whole());
}

TEST(Rehash, BinsFollowWhatIsCounted) {
    SmallHeap small(1 << 18, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
    use(small, 1);
    ASSERT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_LINEAR, nullptr), MALLOOM_BINS_OK);
    unsigned among = 0;
    for (unsigned bin = 0; bin < small.heap.bins; ++bin) {
        among += small.heap.begins[bin] >= 500 && small.heap.begins[bin] < 1'000;
    }
    EXPECT_GT(among, 15u) << "dlmalloc's has 8 there";
}

TEST(Rehash, GoesByWhateverIsCounted) {
    for (unsigned counts = MALLOOM_BINS_COUNT_INSERTIONS; counts <= 7 * MALLOOM_BINS_COUNT_INSERTIONS;
         counts += MALLOOM_BINS_COUNT_INSERTIONS) {
        SmallHeap small(1 << 18, {});
        ASSERT_EQ(malloom_bins_count(&small.heap, counts), MALLOOM_BINS_OK);
        use(small, 1);
        const auto counted = [&small] {
            return std::accumulate(small.heap.counts, small.heap.counts + small.heap.bins, 0u);
        };
        EXPECT_NE(counted(), 0u) << counts;
        ASSERT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_LINEAR, nullptr), MALLOOM_BINS_OK);
        EXPECT_EQ(counted(), 0u);
        EXPECT_NE(small.heap.function, &malloom_bins_original);
        EXPECT_TRUE(small.is_whole());
        ASSERT_EQ(malloom_bins_count(&small.heap, 0), MALLOOM_BINS_OK);
        use(small, 2);
        EXPECT_EQ(counted(), 0u);
    }
}

TEST(Rehash, CountsStayAtTheirEnd) {
    SmallHeap small(1 << 18, {.options = 7 * MALLOOM_BINS_COUNT_INSERTIONS});
    std::fill_n(small.heap.counts, small.heap.bins, UINT32_MAX - 1);
    use(small, 1);
    EXPECT_GT(std::count(small.heap.counts, small.heap.counts + small.heap.bins, UINT32_MAX), 0);
    EXPECT_EQ(*std::min_element(small.heap.counts, small.heap.counts + small.heap.bins), UINT32_MAX - 1);
    EXPECT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_SMOOTH, nullptr), MALLOOM_BINS_OK);
    EXPECT_TRUE(small.is_whole());
}

TEST(Rehash, ChangesTheNumberOfBins) {
    constexpr uint32_t begins[] = {0, 64, 128, 1'024};
    for (const unsigned levels : {1u, 3u}) {
        SmallHeap small(1 << 18, {.bins = 4,
                                  .most_bins = 200,
                                  .begins = begins,
                                  .options = MALLOOM_BINS_COUNT_INSERTIONS | MALLOOM_BINS_COUNT_STEPS,
                                  .levels = levels});
        EXPECT_EQ(small.heap.bins, 4);
        for (const unsigned bins : {100u, 1u, 7u, 200u, 0u, 33u}) {
            use(small, bins);
            ASSERT_EQ(malloom_bins_rehash_into(&small.heap, bins, MALLOOM_BINS_SMOOTH, nullptr),
                      MALLOOM_BINS_OK);
            EXPECT_LE(small.heap.bins, bins != 0 ? bins : 200u);
            EXPECT_GE(small.heap.bins, bins != 0 ? bins / 3 : 30u) << bins;
            EXPECT_TRUE(small.is_whole()) << bins;
        }
        EXPECT_EQ(malloom_bins_rehash_into(&small.heap, 201, MALLOOM_BINS_SMOOTH, nullptr),
                  MALLOOM_BINS_TOO_SMALL);
        EXPECT_EQ(malloom_bins_rehash_into(&small.heap, 201, MALLOOM_BINS_AS_THEY_ARE, nullptr),
                  MALLOOM_BINS_BAD_ARGUMENT);
    }
}

// All chunks are in one bin, and the largest is moved first.
TEST(Rehash, KeepsTheOrderOfChunks) {
    constexpr uint32_t begins[] = {0};
    SmallHeap small(1 << 20,
                    {.bins = 1, .most_bins = 64, .begins = begins, .options = MALLOOM_BINS_COUNT_INSERTIONS});
    std::vector<void*> objects;
    for (int i = 0; i < 300; ++i) {
        objects.push_back(malloom_bins_alloc(&small.heap, 1'000 + i * 7 % 5 * 100));
        ASSERT_NE(malloom_bins_alloc(&small.heap, 16), nullptr);
    }
    for (void* object : objects) {
        EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
    }
    ASSERT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_LINEAR, nullptr), MALLOOM_BINS_OK);
    EXPECT_GT(small.heap.bins, 1);
    EXPECT_TRUE(small.is_whole());
    for (int i = 299; i >= 295; --i) {
        EXPECT_EQ(malloom_bins_alloc(&small.heap, 1'000 + i * 7 % 5 * 100), objects[i]) << "the last one";
    }
}

TEST(Rehash, NeedsATable) {
    std::vector<uint64_t> storage(MALLOOM_BINS_LISTS(127, 1) / sizeof(uint64_t));
    const malloom_bins_settings settings = {.storage = storage.data(), .storage_bytes = storage.size() * 8};
    malloom_bins heap;
    ASSERT_EQ(malloom_bins_open(&heap, &settings), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_rehash(&heap, MALLOOM_BINS_LINEAR, nullptr), MALLOOM_BINS_BAD_ARGUMENT);
}

TEST(Rehash, NeedsAFreeChunk) {
    SmallHeap small(1 << 13, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
    while (malloom_bins_alloc(&small.heap, 40) != nullptr) {
    }
    EXPECT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_LINEAR, nullptr), MALLOOM_BINS_NO_MEMORY);
    EXPECT_TRUE(small.is_whole());
}

#if defined(MALLOOM_CHECKED)
TEST(RehashDeathTest, RangesThatDoNotIncreaseAreAFault) {
    SmallHeap small(1 << 18, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
    CodePages pages;
    use(small, 1);
    ASSERT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_LINEAR, &pages.code), MALLOOM_BINS_OK);
    ASSERT_GT(small.heap.bins, 2u);
    EXPECT_DEATH(
        {
            const_cast<uint32_t*>(small.heap.begins)[2] = small.heap.begins[1];
            malloom_bins_rehash(&small.heap, MALLOOM_BINS_AS_THEY_ARE, nullptr);
        },
        "malloom: fault of malloom's own: rehash.cpp:.*is_valid");
}
#endif

}  // namespace
}  // namespace malloom::tests
