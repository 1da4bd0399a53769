#include "runtime/heaps/plan/group_heap.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "tests/amount.h"
#include "tests/runtime/heaps/compositions.h"

namespace malloom::tests {
namespace {

class GroupHeapTest : public testing::Test {
  protected:
    void open(std::vector<formats::plan::PlanGroup> groups, bool in_huge_pages = false) {
        PlanBuilder builder(0);
        builder.groups = std::move(groups);
        size_t bytes = 0;
        image = builder.build(bytes);
        ASSERT_TRUE(plan.open(reinterpret_cast<const unsigned char*>(image.data()), bytes)) << plan.problem();
        is_open = heap.open(plan, in_huge_pages);
    }
    void TearDown() override { heap.close(); }
    char* allocate(size_t bytes, uint32_t group = 0, size_t alignment = 0) {
        requester.group = group;
        return static_cast<char*>(heap.allocate({bytes, alignment, &requester}));
    }

    // A seeded fault: the heap takes its groups' spans for so long, a power of two. It is told behind the
    // count of groups, as its logarithm.
    void with_granules_in_spans(uint64_t granules) {
        auto words = std::bit_cast<std::array<uint32_t, sizeof heap / sizeof(uint32_t)>>(heap);
        auto count = std::ranges::find(words.rbegin(), words.rend(), heap.count());
        ASSERT_GT(count, words.rbegin());
        count[-1] = static_cast<uint32_t>(std::countr_zero(granules));
        heap = std::bit_cast<heaps::GroupHeap>(words);
    }

    std::vector<uint64_t> image;
    heaps::PlanFile plan;
    heaps::GroupHeap heap;
    heaps::PlannedContext requester;
    bool is_open = false;
};

TEST_F(GroupHeapTest, RequestsOfAGroupFollowOneAnother) {
    open({{4096, 1024, 4096, 0}, {65536, 65536, 4096, 0}});
    char* first = allocate(100);
    char* other = allocate(16, 1);
    EXPECT_EQ(allocate(20), first + 112);
    EXPECT_EQ(allocate(1), first + 144);
    EXPECT_EQ(allocate(65504, 1), other + 16);
    EXPECT_EQ(allocate(16, 1), other + 65536) << "the last granule of a chunk stays unused";
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 4096, 0u);
}

#if !defined(__SANITIZE_THREAD__)  // whose shadows count too
// Of the process, in bytes: what a limit of address space counts.
size_t address_space() {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<size_t>(getpagesize());
}

TEST_F(GroupHeapTest, OnlyWhatIsUsedCountsAsAddressSpace) {
    constexpr size_t most = size_t{16} << 20;
    const size_t before = address_space();
    open(std::vector<formats::plan::PlanGroup>(100, {4096, 1024, 4096, 0}));
    ASSERT_TRUE(is_open);
    EXPECT_LT(address_space(), before + most);
    for (uint32_t i = 0; i < 1000; ++i) {
        memset(allocate(1000, 7), 1, 1000);
    }
    EXPECT_LT(address_space(), before + most);
}
#endif

TEST_F(GroupHeapTest, WhatWasNeverTakenIsNoObject) {
    open({{4096, 1024, 4096, 0}, {4096, 1024, 4096, 0}});
    char* object = static_cast<char*>(allocate(100));
    for (const size_t beyond : {size_t{4096}, size_t{8} << 20, size_t{1} << 30}) {
        EXPECT_TRUE(heap.owns(object + beyond));
        EXPECT_DEATH(heap.deallocate(object + beyond), "free\\(\\): double free or invalid pointer");
        EXPECT_DEATH(heap.usable_size(object + beyond), "free\\(\\): double free or invalid pointer");
    }
    heap.deallocate(object);
}

TEST_F(GroupHeapTest, AGroupEndsWithItsSpan) {
    // Many groups have small spans.
    constexpr size_t chunk = size_t{16} << 20;
    open(std::vector<formats::plan::PlanGroup>(4096, {chunk, chunk, 4096, 0}));
    ASSERT_TRUE(is_open);
    size_t objects = 0;
    for (; objects < 100 && allocate(chunk / 2) != nullptr; ++objects) {
    }
    // A chunk of 16 MiB has room for one, and the last chunk of a span of 64 MiB stays unused.
    EXPECT_EQ(objects, 3u);
    EXPECT_NE(allocate(chunk / 2, 1), nullptr);
}

TEST_F(GroupHeapTest, WhatAGroupMayNotTakeIsLeft) {
    open({{4096, 1024, 4096, 0}, {1000, 1024, 4096, 0}, {4096, UINT64_MAX, 4096, 0}});
    EXPECT_EQ(allocate(1025), nullptr);
    EXPECT_EQ(allocate(16, 1), nullptr) << "its chunks are no power of two";
    EXPECT_NE(allocate(4080, 2), nullptr);
    EXPECT_EQ(allocate(4081, 2), nullptr);
    EXPECT_EQ(allocate(16, 3), nullptr);
    EXPECT_EQ(allocate(16, formats::plan::no_group), nullptr);
}

TEST_F(GroupHeapTest, AlignmentWithinAGroup) {
    open({{16384, 4096, 4096, 0}});
    allocate(16);
    for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(allocate(16, 0, alignment)) % alignment, 0u);
    }
    EXPECT_EQ(allocate(16, 0, 8192), nullptr);
}

// A seeded fault: an empty chunk waits that lies beyond the group's span, which has eight.
TEST_F(GroupHeapTest, AChunkOutsideTheSpanIsAFault) {
    open({{4096, 1024, 4096, 0}});
    std::vector<char*> objects(40);
    std::ranges::generate(objects, [this] { return allocate(1008); });
    for (const size_t chunk : {8, 0}) {
        for (size_t i = 4 * chunk; i < 4 * chunk + 4; ++i) {
            heap.deallocate(objects[i]);
        }
    }
    EXPECT_EQ(allocate(1008), objects[0]);
    EXPECT_DEATH(
        {
            with_granules_in_spans(8 * 256);
            for (int i = 0; i < 4; ++i) {
                allocate(1008);
            }
        },
        "malloom: fault of malloom's own: group_heap.cpp:.*chunk < chunks_in_span.group");
}

#if defined(MALLOOM_CHECKED)
// A seeded fault: spans are thought to be longer than they are.
TEST_F(GroupHeapTest, AGroupInAnothersSpanIsAFault) {
    open({{4096, 1024, 4096, 0}, {4096, 1024, 4096, 0}, {4096, 1024, 4096, 0}});
    EXPECT_DEATH(
        {
            with_granules_in_spans(uint64_t{1} << 40);
            for (int i = 0; i < 10; ++i) {
                allocate(1024, 2);
            }
        },
        "malloom: fault of malloom's own: group_heap.cpp:.*is_valid.group");
}
#endif

TEST_F(GroupHeapTest, EmptyChunksAreFilledAgain) {
    open({{4096, 4096, 4096, 0}});
    std::set<uintptr_t> chunks;
    for (int round = 0; round < 1000; ++round) {
        std::vector<char*> objects;
        for (int i = 0; i < 100; ++i) {
            objects.push_back(allocate(64));
            ASSERT_NE(objects.back(), nullptr);
            chunks.insert(reinterpret_cast<uintptr_t>(objects.back()) / 4096);
        }
        for (char* object : objects) {
            heap.deallocate(object);
        }
    }
    EXPECT_LE(chunks.size(), 4u);
}

TEST_F(GroupHeapTest, AChunkWhoseObjectsAreAllFreedBeginsAgainOnceAPageIsUsed) {
    open({{65536, 4096, 4096, 0}});
    char* first = allocate(100);
    heap.deallocate(first);
    const auto begun = [&](int rounds) {
        int count = 0;
        for (int round = 0; round < rounds; ++round) {
            char* object = allocate(100);
            count += object == first ? 1 : 0;
            heap.deallocate(object);
        }
        return count;
    };
    EXPECT_EQ(begun(200), 5) << "37 objects of 112 bytes are a page";
    char* lives = allocate(100);
    EXPECT_LT(lives, first + 4096);
    EXPECT_EQ(begun(200), 0) << "one still lives";
    heap.deallocate(lives);
    EXPECT_EQ(allocate(20), first);
}

TEST_F(GroupHeapTest, ThreadsNeverGetOverlappingObjects) {
    open({{4096, 1024, 4096, 0}});
    const auto work = [this](unsigned seed) {
        std::minstd_rand random(seed);
        heaps::PlannedContext mine;
        mine.group = 0;
        std::vector<char*> objects(8);
        for (int i = 0; i < 30000; ++i) {
            char*& object = objects[random() % objects.size()];
            if (object != nullptr) {
                ASSERT_EQ(std::count(object, object + 48, static_cast<char>(seed)), 48);
                heap.deallocate(object);
            }
            object = static_cast<char*>(heap.allocate({48, 0, &mine}));
            ASSERT_NE(object, nullptr);
            memset(object, static_cast<char>(seed), 48);
        }
        std::for_each(objects.begin(), objects.end(), [this](char* object) {
            if (object != nullptr) heap.deallocate(object);
        });
    };
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        threads.emplace_back(work, seed);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(heap.stopped(), 0u);
}

// The chunk begins again after nearly every object here, and what it got then looks the same each time.
TEST_F(GroupHeapTest, ThreadsThatFreeAtOnceNeverBeginAChunkWithLivingObjects) {
    open({{4096, 1024, 4096, 0}});
    std::atomic<int> refused = 0;
    const auto work = [&] {
        heaps::PlannedContext own;
        own.group = 0;
        for (int i = 0; i < amount(400000); ++i) {
            void* object = heap.allocate({64, 0, &own});
            refused += object == nullptr;
            if (object != nullptr) {
                heap.deallocate(object);
            }
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back(work);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(refused, 0) << "the cursor went back to what was taken";
}

TEST_F(GroupHeapTest, ManyEmptyChunksGiveTheirPagesBackAndCanBeUsedAgain) {
    open({{1 << 20, 1 << 20, 4096, 0}});
    for (int round = 0; round < 3; ++round) {
        std::vector<char*> objects;
        for (int i = 0; i < 64; ++i) {
            objects.push_back(allocate(500000));
            ASSERT_NE(objects.back(), nullptr);
            memset(objects.back(), 1, 500000);
        }
        for (char* object : objects) {
            heap.deallocate(object);
        }
    }
    char* object = allocate(500000);
    EXPECT_EQ(heap.usable_size(object), 500000u);
}

TEST_F(GroupHeapTest, AGroupThatHoldsTooMuchStops) {
    open({{4096, 4096, 4096, 0}});
    std::vector<char*> objects;
    // One object of a chunk outlives its neighbours.
    for (int i = 0; i < 100000; ++i) {
        char* object = allocate(64);
        if (object == nullptr) {
            break;
        }
        if (reinterpret_cast<uintptr_t>(object) % 4096 != 0) {
            heap.deallocate(object);
        } else {
            objects.push_back(object);
        }
    }
    EXPECT_EQ(heap.stopped(), 1u);
    EXPECT_LT(objects.size() * 4096, size_t{4} << 20);
    EXPECT_EQ(allocate(4096), nullptr);
    for (char* object : objects) {
        heap.deallocate(object);
    }
}

/// Whether the kernel is to make huge pages of the mapping that has the address.
bool is_to_be_huge(const char* address) {
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    bool is_it = false;
    while (std::getline(maps, line)) {
        uintptr_t start = 0;
        uintptr_t end = 0;
        if (sscanf(line.c_str(), "%lx-%lx", &start, &end) == 2) {
            is_it = reinterpret_cast<uintptr_t>(address) - start < end - start;
        } else if (is_it && line.starts_with("VmFlags:")) {
            return line.find(" hg") != std::string::npos;
        }
    }
    return false;
}

TEST_F(GroupHeapTest, GroupsAreInHugePagesWhereOneIsASmallPartOfThem) {
    constexpr uint64_t large = 8 << 20;
    constexpr size_t object_bytes = 32 << 10;
    const std::vector<formats::plan::PlanGroup> groups = {{1 << 20, 1 << 16, large - 1, 0},
                                                          {1 << 20, 1 << 16, large, 0},
                                                          {1000, 1024, large, 0},
                                                          {1 << 20, 1 << 16, large, 1}};
    open(groups, true);
    EXPECT_TRUE(is_to_be_huge(allocate(16, 1)));
    EXPECT_FALSE(is_to_be_huge(allocate(16, 0)));
    EXPECT_FALSE(is_to_be_huge(allocate(16, 3))) << "the plan keeps it in small ones";
    char* last = nullptr;
    for (size_t filled = 0; filled < large + object_bytes; filled += object_bytes) {
        last = allocate(object_bytes - 16, 0);
        ASSERT_NE(last, nullptr);
    }
    EXPECT_TRUE(is_to_be_huge(last)) << "it became large all the same";
    heap.close();
    open(groups);
    EXPECT_FALSE(is_to_be_huge(allocate(16, 1)));
}

TEST_F(GroupHeapTest, PlansWithoutGroupsOrWithTooManyOwnNothing) {
    open({});
    EXPECT_FALSE(is_open);
    EXPECT_FALSE(heap.owns(&heap));
    EXPECT_FALSE(heap.owns(nullptr));
}

}  // namespace
}  // namespace malloom::tests
