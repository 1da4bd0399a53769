// The page heap by itself: where objects lie, which pages it takes and gives back, and what it makes of bad
// input. That objects keep their contents is HeapConformance.
#include "runtime/heaps/pages/page_heap.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "runtime/structures/freestanding/bit_search.h"
#include "tests/amount.h"

namespace malloom::tests {
namespace {

using namespace heaps::pages;
using structures::BuiltInZeros;
using structures::CountingSearch;
using structures::KampSearch;
using structures::LinearSearch;
using structures::SearchInMemory;
using structures::VectorSearch;

using Heap = PageHeap<SearchInMemory<LinearSearch<>>>;
constexpr size_t page = Heap::page_bytes;

template <class Pages>
class HeapOverMemory {
  public:
    static constexpr size_t bytes = size_t{4} << 20;

    HeapOverMemory() { EXPECT_NE(region, nullptr); }

    bool owns(const void* object) const { return heap.region_of(object) == region; }
    /// What was wrong, of which there is at most one.
    std::vector<Wrong> release(void* object) {
        std::vector<Wrong> wrong;
        heap.release(*region, object, [&](Wrong what, const void* about) {
            EXPECT_EQ(about, object);
            wrong.push_back(what);
        });
        return wrong;
    }
    /// The same of an object that stays.
    std::vector<Wrong> wrong_with(const void* object) {
        std::vector<Wrong> wrong;
        const bool is_living =
            heap.is_living(*region, object, [&](Wrong what, const void*) { wrong.push_back(what); });
        EXPECT_EQ(is_living, wrong.empty());
        return wrong;
    }
    void* allocate(size_t wanted) {
        void* object = heap.allocate(wanted);
        EXPECT_NE(object, nullptr) << wanted;
        return object;
    }

  private:
    std::unique_ptr<void, void (*)(void*)> memory_{aligned_alloc(Pages::page_bytes, bytes), free};

  public:
    Pages heap;
    Region* region = heap.add_region(memory_.get(), bytes);
};

class PageHeapTest : public testing::Test, protected HeapOverMemory<Heap> {
  protected:
    ~PageHeapTest() override { EXPECT_TRUE(heap.is_valid()); }
    static uintptr_t page_of(const void* object) { return reinterpret_cast<uintptr_t>(object) / page; }
};

TEST_F(PageHeapTest, RoundsUpToAPowerOfTwoFromSixteenToHalfAPage) {
    for (size_t wanted = 0; wanted <= page / 2; ++wanted) {
        size_t room = 16;
        while (room < wanted) {
            room *= 2;
        }
        void* object = allocate(wanted);
        ASSERT_EQ(heap.usable_size(*region, object), room) << wanted;
        ASSERT_EQ(reinterpret_cast<uintptr_t>(object) % room, 0u);
        ASSERT_TRUE(release(object).empty());
    }
    EXPECT_EQ(heap.usable_size(*region, allocate(page / 2 + 1)), page);
    EXPECT_EQ(heap.usable_size(*region, allocate(3 * page + 1)), 4 * page);
}

TEST_F(PageHeapTest, APageHasObjectsOfOneSizeAndTheFirstFreeOneServes) {
    std::vector<void*> objects;
    for (int i = 0; i < 20; ++i) {
        objects.push_back(allocate(100));
        EXPECT_EQ(page_of(objects[i]), page_of(objects[0]));
        EXPECT_NE(page_of(allocate(200)), page_of(objects[0]));
    }
    for (const int freed : {9, 3, 14}) {
        EXPECT_TRUE(release(objects[freed]).empty());
    }
    for (const int first : {3, 9, 14}) {
        EXPECT_EQ(allocate(100), objects[first]);
    }
}

TEST_F(PageHeapTest, TheBitmapLiesInThePageOnlyWhereItTakesLittle) {
    for (size_t size = 16; size <= page / 2; size *= 2) {
        const size_t before = region->taken;
        std::set<uintptr_t> pages;
        size_t objects = 0;
        for (; pages.size() <= 1; ++objects) {
            pages.insert(page_of(allocate(size)));
        }
        const size_t in_first = objects - 1;
        const size_t chunks = page / size;
        EXPECT_LE(in_first, chunks);
        EXPECT_LE((chunks - in_first) * size, size >= 128 ? 0 : page / 32) << size;
        EXPECT_EQ(region->taken, before + 2);
    }
}

TEST_F(PageHeapTest, EmptyPagesGoBackButForTheOnlyOneWithRoom) {
    const size_t before = region->taken;
    std::vector<void*> objects;
    for (size_t i = 0; i < 4 * page / 64; ++i) {
        objects.push_back(allocate(64));
    }
    EXPECT_GE(region->taken, before + 4);
    for (void* object : objects) {
        EXPECT_TRUE(release(object).empty());
    }
    EXPECT_EQ(region->taken, before + 1);
    heap.give_back_empty();
    EXPECT_TRUE(region->is_empty());
}

TEST_F(PageHeapTest, NoAddressButAnObjectsIsTakenBack) {
    std::set<char*> objects;
    for (size_t size = 16; size <= 2 * page; size *= 2) {
        for (int i = 0; i < 3; ++i) {
            objects.insert(static_cast<char*>(allocate(size)));
        }
    }
    auto* const begin = reinterpret_cast<char*>(region);
    // Every seventh word comes to each place within a page as well.
    const size_t apart = does_all() ? 8 : 56;
    for (size_t offset = 0; offset < bytes; offset += apart) {
        if (!objects.contains(begin + offset)) {
            EXPECT_EQ(release(begin + offset).size(), 1u) << offset;
        }
    }
    EXPECT_TRUE(heap.is_valid());
    for (char* object : objects) {
        EXPECT_TRUE(release(object).empty());
    }
}

TEST_F(PageHeapTest, RunsOfPagesJoinTheirNeighbours) {
    std::vector<void*> runs;
    for (int i = 0; i < 10; ++i) {
        runs.push_back(allocate(3 * page));
    }
    for (const int freed : {1, 3, 2, 7, 5, 6, 4, 0, 9, 8}) {
        EXPECT_TRUE(release(runs[freed]).empty());
        EXPECT_TRUE(heap.is_valid());
    }
    const size_t all = (size_t{region->pages} - region->first) * page;
    void* whole = allocate(all);
    EXPECT_EQ(heap.allocate(1), nullptr);
    EXPECT_TRUE(release(whole).empty());
    EXPECT_EQ(heap.allocate(all + 1), nullptr);
}

TEST_F(PageHeapTest, RunsThatHaveJoinedOthersAreKnownAsFreedBefore) {
    std::vector<char*> runs;
    for (int i = 0; i < 10; ++i) {
        runs.push_back(static_cast<char*>(allocate(3 * page)));
    }
    for (const int freed : {1, 3, 2, 7, 5, 6, 4, 0, 9, 8}) {
        EXPECT_EQ(release(runs[freed] + page), std::vector{Wrong::foreign}) << "within a living one";
        EXPECT_TRUE(release(runs[freed]).empty());
        EXPECT_EQ(release(runs[freed]), std::vector{Wrong::freed_before});
    }
    for (char* run : runs) {
        EXPECT_EQ(release(run), std::vector{Wrong::freed_before});
        EXPECT_EQ(wrong_with(run), std::vector{Wrong::freed_before});
    }
    EXPECT_EQ(release(region), std::vector{Wrong::foreign}) << "the directory";
}

TEST_F(PageHeapTest, AlignedObjectsAreChunksOrRuns) {
    for (size_t alignment = 16; alignment <= 64 * page; alignment *= 2) {
        for (const size_t wanted : {size_t{1}, size_t{300}, 2 * page}) {
            void* object = heap.allocate_aligned(alignment, wanted);
            ASSERT_NE(object, nullptr);
            EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % alignment, 0u);
            EXPECT_GE(heap.usable_size(*region, object), wanted);
            EXPECT_TRUE(release(object).empty());
        }
    }
    heap.give_back_empty();
    EXPECT_TRUE(region->is_empty());
}

TEST_F(PageHeapTest, ImpossibleSizesGetNothing) {
    for (const size_t wanted : {bytes, SIZE_MAX, SIZE_MAX - page + 2, SIZE_MAX / 2 + 1}) {
        EXPECT_EQ(heap.allocate(wanted), nullptr);
        EXPECT_EQ(heap.allocate_aligned(page, wanted), nullptr);
    }
}

TEST_F(PageHeapTest, BadInputIsToldAndChangesNothing) {
    auto* small = static_cast<char*>(allocate(16));
    auto* apart = static_cast<char*>(allocate(1000));
    auto* large = static_cast<char*>(allocate(4 * page));
    const auto foreign = std::vector{Wrong::foreign};
    const auto before = std::vector{Wrong::freed_before};
    EXPECT_EQ(release(small + 8), foreign) << "inside an object";
    EXPECT_EQ(release(apart + 512), foreign);
    EXPECT_EQ(release(large + page), foreign);
    EXPECT_EQ(release(large + 8), foreign);
    EXPECT_EQ(release(reinterpret_cast<char*>(page_of(small) * page)), foreign) << "the page's head";
    EXPECT_EQ(release(region), foreign) << "the directory";
    EXPECT_EQ(release(small + 16), before) << "never allocated";
    EXPECT_EQ(release(apart + 1024), before);
    EXPECT_TRUE(heap.is_valid());
    for (char* object : {small, apart, large}) {
        EXPECT_TRUE(wrong_with(object).empty());
        EXPECT_EQ(wrong_with(object + 8), foreign);
        EXPECT_TRUE(release(object).empty());
        EXPECT_EQ(wrong_with(object), before);
        EXPECT_EQ(release(object), before);
        EXPECT_TRUE(heap.is_valid());
    }
}

TEST_F(PageHeapTest, AFullHeapServesAgainWhenSomethingIsFreed) {
    std::vector<void*> objects;
    while (void* object = heap.allocate(500)) {
        objects.push_back(object);
    }
    EXPECT_GT(objects.size() * 512, bytes / 10 * 9);
    EXPECT_TRUE(heap.is_valid());
    EXPECT_TRUE(release(objects[objects.size() / 2]).empty());
    EXPECT_EQ(heap.allocate(500), objects[objects.size() / 2]);
}

TEST(PageHeapRegions, MemoryThatIsTooShortOrBeginsWithinAPageIsRefused) {
    Heap heap;
    const std::unique_ptr<void, void (*)(void*)> memory(aligned_alloc(page, 4 * page), free);
    EXPECT_EQ(heap.add_region(memory.get(), page), nullptr);
    EXPECT_EQ(heap.add_region(static_cast<char*>(memory.get()) + 16, 3 * page), nullptr);
    EXPECT_EQ(heap.allocate(16), nullptr) << "it has no memory";
    EXPECT_NE(heap.add_region(memory.get(), 4 * page), nullptr);
    EXPECT_NE(heap.allocate(16), nullptr);
}

TEST(PageHeapGeometry, PagesAndSmallestObjectsMayBeOthers) {
    HeapOverMemory<PageHeap<SearchInMemory<LinearSearch<>>, Geometry<16384, 32>>> other;
    EXPECT_EQ(other.heap.usable_size(*other.region, other.allocate(1)), 32u);
    EXPECT_EQ(other.heap.usable_size(*other.region, other.allocate(8192)), 8192u);
    EXPECT_TRUE(other.heap.is_valid());
}

/// What a heap does with a sequence of requests: offsets from its region.
template <class Search>
std::vector<uintptr_t> places_of_a_random_run() {
    HeapOverMemory<PageHeap<Search>> own;
    std::mt19937 random(7);
    std::vector<void*> objects;
    std::vector<uintptr_t> places;
    for (int step = 0; step < amount(30000); ++step) {
        if (objects.size() < 2000 && random() % 5 < 3) {
            objects.push_back(own.allocate(random() % 500));
            places.push_back(reinterpret_cast<uintptr_t>(objects.back()) - own.region->base());
        } else if (!objects.empty()) {
            std::swap(objects[random() % objects.size()], objects.back());
            EXPECT_TRUE(own.release(objects.back()).empty());
            objects.pop_back();
        }
    }
    EXPECT_TRUE(own.heap.is_valid());
    return places;
}

TEST(PageHeapSearches, AllGiveTheSameObjects) {
    const auto places = places_of_a_random_run<SearchInMemory<LinearSearch<>>>();
    EXPECT_EQ(places, places_of_a_random_run<SearchInMemory<KampSearch<>>>());
    EXPECT_EQ(places, places_of_a_random_run<SearchInMemory<CountingSearch<BuiltInZeros>>>());
    EXPECT_EQ(places, places_of_a_random_run<SearchInMemory<CountingSearch<structures::MultipliedZeros>>>());
    EXPECT_EQ(places, places_of_a_random_run<SearchInMemory<VectorSearch>>());
}

/// Seeded faults.
class PageHeapDeathTest : public testing::Test, protected HeapOverMemory<Heap> {
  protected:
    static Page& head_of(const void* object) {
        return *reinterpret_cast<Page*>(reinterpret_cast<uintptr_t>(object) / page * page);
    }
};

TEST_F(PageHeapDeathTest, ABitThatAppearsIsFound) {
    head_of(allocate(16)).bits()[0] |= 1;
    EXPECT_FALSE(heap.is_valid());
}

TEST_F(PageHeapDeathTest, AnEntryThatChangesIsFound) {
    region->directory()[region->pages - 1] = 0;
    EXPECT_FALSE(heap.is_valid());
    EXPECT_DEATH(allocate(16), "page_runs.h:.*(free_run|is_valid)");
}

TEST_F(PageHeapDeathTest, APageThatIsNotInItsListDoesNotLeaveIt) {
    std::vector<void*> objects;
    for (size_t i = 0; i < 2 * page / 16; ++i) {
        objects.push_back(allocate(16));
    }
    EXPECT_TRUE(release(objects[0]).empty());
    head_of(objects[0]).previous = &head_of(objects[0]);
    const auto release_all = [&] {
        for (size_t i = 1; i < objects.size(); ++i) {
            release(objects[i]);
        }
    };
    EXPECT_DEATH(release_all(), "page_heap.h:.*previous");
}

#if defined(MALLOOM_CHECKED)
TEST_F(PageHeapDeathTest, AWrongCountIsFoundWhenAPageBecomesEmpty) {
    void* object = allocate(16);
    head_of(object).bits()[1] &= ~2U;
    EXPECT_DEATH(release(object), "is_valid");
}
#endif

}  // namespace
}  // namespace malloom::tests
