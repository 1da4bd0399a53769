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

unsigned counted_in(const malloom_bins& heap) {
    return std::accumulate(heap.counts, heap.counts + heap.bins, 0u);
}

/// Heaps whose calls differ: with dlmalloc's bins, with others, and with hooks.
void expect_of_all_calls(void (*expect)(SmallHeap& small)) {
    constexpr uint32_t begins[] = {0, 64, 128, 1'024};
    SmallHeap original(1 << 18, {}, false);
    SmallHeap other(1 << 18, {.bins = 4, .begins = begins}, false);
    SmallHeap general(1 << 18);
    for (SmallHeap* each : {&original, &other, &general}) {
        expect(*each);
        EXPECT_TRUE(each->is_whole());
    }
}

TEST(Counting, TakesOneReleaseInSoMany) {
    expect_of_all_calls([](SmallHeap& small) {
        for (const unsigned distance : {2u, 16u, 64u}) {
            ASSERT_EQ(malloom_bins_count_one_in(&small.heap, distance), MALLOOM_BINS_OK);
            std::vector<void*> objects;
            for (int i = 0; i < 320; ++i) {
                objects.push_back(malloom_bins_alloc(&small.heap, 40));
            }
            for (void* object : objects) {
                EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
            }
            EXPECT_EQ(counted_in(small.heap), 320 / distance);
        }
        ASSERT_EQ(malloom_bins_count_one_in(&small.heap, 0), MALLOOM_BINS_OK);
        use(small, 1);
        EXPECT_EQ(counted_in(small.heap), 0u);
    });
}

// Where the chunk comes into its list, with its neighbours.
TEST(Counting, TakesTheBinOfTheJoinedChunk) {
    expect_of_all_calls([](SmallHeap& small) {
        void* objects[5];
        for (void*& object : objects) {
            object = malloom_bins_alloc(&small.heap, 104);
        }
        EXPECT_EQ(malloom_bins_free(&small.heap, objects[1]), MALLOOM_BINS_OK);
        EXPECT_EQ(malloom_bins_free(&small.heap, objects[3]), MALLOOM_BINS_OK);
        ASSERT_EQ(malloom_bins_count_one_in(&small.heap, 2), MALLOOM_BINS_OK);
        EXPECT_EQ(malloom_bins_free(&small.heap, malloom_bins_alloc(&small.heap, 4'000)), MALLOOM_BINS_OK);
        EXPECT_EQ(malloom_bins_free(&small.heap, objects[2]), MALLOOM_BINS_OK);
        EXPECT_EQ(counted_in(small.heap), 1u);
        EXPECT_EQ(small.heap.counts[small.heap.function(3 * 112, &small.heap)], 1u);
    });
}

TEST(Counting, TakesNoForeignObjects) {
    expect_of_all_calls([](SmallHeap& small) {
        ASSERT_EQ(malloom_bins_count_one_in(&small.heap, 2), MALLOOM_BINS_OK);
        alignas(16) char foreign[64];
        void* object = malloom_bins_alloc(&small.heap, 40);
        EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
        EXPECT_EQ(malloom_bins_free(&small.heap, foreign + 16), MALLOOM_BINS_FOREIGN);
        EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_FREED_BEFORE);
        EXPECT_EQ(counted_in(small.heap), 0u);
        for (int i = 0; i < 20; ++i) {
            malloom_bins_free(&small.heap, malloom_bins_alloc(&small.heap, 40));
        }
        EXPECT_GE(counted_in(small.heap), 10u);
        EXPECT_LE(counted_in(small.heap), 11u);
    });
}

TEST(Counting, IsRefused) {
    SmallHeap small(1 << 16);
    for (const unsigned distance : {1u, 3u, 48u, 1u << 16, UINT32_MAX}) {
        EXPECT_EQ(malloom_bins_count_one_in(&small.heap, distance), MALLOOM_BINS_BAD_ARGUMENT) << distance;
    }
    for (const unsigned distance : {0u, 2u, 1u << 15}) {
        EXPECT_EQ(malloom_bins_count_one_in(&small.heap, distance), MALLOOM_BINS_OK) << distance;
    }
    std::vector<uint64_t> storage(MALLOOM_BINS_LISTS(127, 1) / sizeof(uint64_t));
    const malloom_bins_settings settings = {.storage = storage.data(), .storage_bytes = storage.size() * 8};
    malloom_bins heap;
    ASSERT_EQ(malloom_bins_open(&heap, &settings), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_count_one_in(&heap, 16), MALLOOM_BINS_BAD_ARGUMENT);
    EXPECT_EQ(malloom_bins_count_chunks(&heap), MALLOOM_BINS_BAD_ARGUMENT);
}

TEST(Counting, TakesTheChunksThatAreThere) {
    SmallHeap small(1 << 16);
    std::vector<void*> objects;
    for (int i = 0; i < 20; ++i) {
        objects.push_back(malloom_bins_alloc(&small.heap, i < 10 ? 40 : 1'000));
    }
    EXPECT_EQ(malloom_bins_free(&small.heap, objects[4]), MALLOOM_BINS_OK);
    ASSERT_EQ(malloom_bins_count_chunks(&small.heap), MALLOOM_BINS_OK);
    const auto count_of = [&small](size_t bytes) {
        return small.heap.counts[small.heap.function(bytes, &small.heap)];
    };
    EXPECT_EQ(count_of(48), 10u) << "nine objects and a free chunk";
    EXPECT_EQ(count_of(1'008), 10u);
    EXPECT_EQ(counted_in(small.heap), 21u) << "and what is left of the region";
    ASSERT_EQ(malloom_bins_count_chunks(&small.heap), MALLOOM_BINS_OK);
    EXPECT_EQ(counted_in(small.heap), 42u) << "the sum";
    ASSERT_EQ(malloom_bins_rehash(&small.heap, MALLOOM_BINS_LINEAR, nullptr), MALLOOM_BINS_OK);
    EXPECT_EQ(counted_in(small.heap), 0u);
    EXPECT_TRUE(small.is_whole());
}

/// Free chunks of sizes at a distance, in few bins of dlmalloc's.
void leave_free(SmallHeap& small, size_t distance) {
    std::vector<void*> objects;
    for (size_t i = 0; i < 300; ++i) {
        objects.push_back(malloom_bins_alloc(&small.heap, 5'000 + i * distance));
        ASSERT_NE(malloom_bins_alloc(&small.heap, 16), nullptr);
    }
    for (void* object : objects) {
        EXPECT_EQ(malloom_bins_free(&small.heap, object), MALLOOM_BINS_OK);
    }
}

TEST(RehashIfWorth, IsDoneWhereListsAreLong) {
    SmallHeap small(4 << 20), brief(4 << 20);
    CodePages pages;
    leave_free(small, 16);
    leave_free(brief, 16);
    ASSERT_EQ(malloom_bins_rehash_if_worth(&small.heap, 10'000, 0, MALLOOM_BINS_BY_COST, &pages.code),
              MALLOOM_BINS_OK);
    EXPECT_NE(small.heap.function, &malloom_bins_original);
    EXPECT_TRUE(small.is_whole());
    unsigned among = 0;
    for (unsigned bin = 0; bin < small.heap.bins; ++bin) {
        among += small.heap.begins[bin] >= 5'000 && small.heap.begins[bin] < 10'000;
    }
    EXPECT_GT(among, 30u) << "it goes by the chunks that are there, as nothing was counted";
    ASSERT_EQ(malloom_bins_count_chunks(&brief.heap), MALLOOM_BINS_OK);
    const unsigned counted = counted_in(brief.heap);
    ASSERT_EQ(malloom_bins_rehash_if_worth(&brief.heap, 10, 0, MALLOOM_BINS_BY_COST, &pages.code),
              MALLOOM_BINS_OK);
    EXPECT_EQ(brief.heap.function, &malloom_bins_original) << "of so few requests it saves little";
    EXPECT_EQ(counted_in(brief.heap), counted);
}

TEST(RehashIfWorth, ChangesNothingWhereListsAreShort) {
    SmallHeap small(1 << 16, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
    CodePages pages;
    use(small, 1);
    ASSERT_EQ(malloom_bins_rehash_if_worth(&small.heap, UINT32_MAX, 0, MALLOOM_BINS_LINEAR, &pages.code),
              MALLOOM_BINS_OK);
    EXPECT_EQ(small.heap.function, &malloom_bins_original);
    EXPECT_EQ(pages.writes, 0);
    EXPECT_NE(counted_in(small.heap), 0u);
}

// Of many chunks of one size the first is the best.
TEST(RehashIfWorth, KnowsThatEqualSizesHaveNoSteps) {
    SmallHeap small(4 << 20);
    leave_free(small, 0);
    ASSERT_EQ(malloom_bins_count_chunks(&small.heap), MALLOOM_BINS_OK);
    EXPECT_EQ(malloom_bins_rehash_if_worth(&small.heap, 1 << 20, 0, MALLOOM_BINS_LINEAR, nullptr),
              MALLOOM_BINS_OK);
    EXPECT_EQ(small.heap.function, &malloom_bins_original);
}

TEST(RehashIfWorth, IsRefusedAsARehashIs) {
    SmallHeap bounded(1 << 16, {.options = MALLOOM_BINS_BOUNDED | MALLOOM_BINS_COUNT_INSERTIONS});
    EXPECT_EQ(malloom_bins_rehash_if_worth(&bounded.heap, 1, 0, MALLOOM_BINS_LINEAR, nullptr),
              MALLOOM_BINS_BAD_ARGUMENT);
    SmallHeap small(1 << 16, {.options = MALLOOM_BINS_COUNT_INSERTIONS});
    EXPECT_EQ(malloom_bins_rehash_if_worth(&small.heap, 1, 128, MALLOOM_BINS_LINEAR, nullptr),
              MALLOOM_BINS_TOO_SMALL);
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
