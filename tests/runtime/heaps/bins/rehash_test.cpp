// Bins that are laid out anew while the heap is used.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <random>
#include <vector>

#include "tests/runtime/heaps/bins/small_heap.h"

namespace malloom::tests {
namespace {

/// Pages that are written or run, and never both at once.
class CodePages {
  public:
    CodePages()
        : code{static_cast<unsigned char*>(
                   mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
               bytes,
               0,
               this,
               begin_write,
               end_write,
               nullptr} {}
    ~CodePages() { munmap(code.memory, bytes); }
    CodePages(const CodePages&) = delete;
    CodePages& operator=(const CodePages&) = delete;

    malloom_bins_code code;
    int writes = 0;

  private:
    static constexpr size_t page = 4'096, bytes = 4 * page;
    static void begin_write(void* context, unsigned char* half, size_t half_bytes) {
        ++static_cast<CodePages*>(context)->writes;
        EXPECT_EQ(mprotect(half, half_bytes, PROT_READ | PROT_WRITE), 0);
    }
    static void end_write(void*, unsigned char* half, size_t half_bytes) {
        EXPECT_EQ(mprotect(half, half_bytes, PROT_READ | PROT_EXEC), 0);
    }
};

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
        for (const auto ranges : {MALLOOM_BINS_AS_THEY_ARE, MALLOOM_BINS_LINEAR, MALLOOM_BINS_SMOOTH}) {
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

}  // namespace
}  // namespace malloom::tests
