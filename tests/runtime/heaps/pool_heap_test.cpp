#include "runtime/heaps/pool_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "runtime/platform/memory.h"

namespace malloom::tests {
namespace {

using heaps::PoolHeap;

class PoolHeapTest : public testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(heap.open()); }

    /// As a front asks.
    static char* allocate(uint32_t family) {
        void* object = PoolHeap::allocate_small(family);
        return static_cast<char*>(object != nullptr ? object : PoolHeap::allocate(family));
    }
    static std::vector<char*> allocate_many(uint32_t family, size_t count) {
        std::vector<char*> objects(count);
        std::generate(objects.begin(), objects.end(), [=] { return allocate(family); });
        return objects;
    }
    static void free_all(const std::vector<char*>& objects) {
        for (char* object : objects) {
            PoolHeap::deallocate(object);
        }
    }

    PoolHeap heap;
};

TEST_F(PoolHeapTest, ObjectsOfAFamilyFollowOneAnother) {
    const uint32_t family = heap.add(40);
    char* first = allocate(family);
    for (int i = 1; i < 100; ++i) {
        EXPECT_EQ(allocate(family), first + 48 * i);
    }
    EXPECT_EQ(PoolHeap::usable_size(first), 48u);
    EXPECT_EQ(PoolHeap::chunk_bytes(family), 48u);
}

TEST_F(PoolHeapTest, LargeObjectsBeginWithAPairOfLines) {
    const uint32_t family = heap.add(1928);
    for (const char* object : allocate_many(family, 100)) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % 128, 0u);
        EXPECT_EQ(PoolHeap::usable_size(object), 2048u);
    }
    for (size_t bytes = 0; bytes <= 4096; ++bytes) {
        EXPECT_GE(PoolHeap::chunk_for(bytes), bytes);
        EXPECT_LE(PoolHeap::chunk_for(bytes), bytes < 120 ? bytes + 16 : bytes + bytes / 8);
        EXPECT_EQ(PoolHeap::chunk_for(bytes) % (bytes < 1024 ? 16 : 128), 0u);
    }
}

TEST_F(PoolHeapTest, WhatWasFreedLastComesFirst) {
    const uint32_t family = heap.add(64);
    const auto objects = allocate_many(family, 3);
    free_all(objects);
    EXPECT_EQ(allocate(family), objects[2]);
    EXPECT_EQ(allocate(family), objects[1]);
    EXPECT_EQ(allocate(family), objects[0]);
}

TEST_F(PoolHeapTest, WhatIsNoFamilyGetsNothing) {
    EXPECT_EQ(heap.add(PoolHeap::largest_chunk + 1), PoolHeap::none);
    EXPECT_EQ(PoolHeap::allocate_small(PoolHeap::none), nullptr);
    EXPECT_EQ(PoolHeap::allocate(PoolHeap::none), nullptr);
    const uint32_t family = heap.add(16);
    heap.destroy(family);
    EXPECT_EQ(allocate(family), nullptr);
    void* other = malloc(16);
    EXPECT_FALSE(PoolHeap::owns(other));
    EXPECT_FALSE(PoolHeap::release_small(other));
    free(other);
    EXPECT_FALSE(PoolHeap::release_small(nullptr));
}

TEST_F(PoolHeapTest, WhatIsFreedGoesBack) {
    const size_t before = PoolHeap::held_bytes();
    const uint32_t family = heap.add(100);
    const auto objects = allocate_many(family, 300000);
    EXPECT_EQ(std::set<char*>(objects.begin(), objects.end()).size(), objects.size());
    EXPECT_GE(PoolHeap::held_bytes() - before, 300000u * 112);
    EXPECT_LE(PoolHeap::held_bytes() - before, 300000u * 112 + heaps::largest_range);
    free_all(objects);
    EXPECT_LE(PoolHeap::held_bytes() - before, heaps::largest_range);
}

TEST_F(PoolHeapTest, WhatOtherThreadsFreeIsUsedAgain) {
    const uint32_t family = heap.add(100);
    auto objects = allocate_many(family, 100000);
    const size_t before = PoolHeap::held_bytes();
    for (int round = 0; round < 5; ++round) {
        std::thread([&] { free_all(objects); }).join();
        objects = allocate_many(family, objects.size());
        EXPECT_LE(PoolHeap::held_bytes(), before + heaps::largest_range);
        EXPECT_EQ(std::set<char*>(objects.begin(), objects.end()).size(), objects.size());
    }
}

TEST_F(PoolHeapTest, PoolsOfEndedThreadsAreAdopted) {
    const uint32_t family = heap.add(200);
    std::vector<char*> objects;
    std::thread([&] {
        objects = allocate_many(family, 5000);
        for (size_t i = 0; i < 5000; i += 2) {
            PoolHeap::deallocate(objects[i]);
        }
    }).join();
    const size_t before = PoolHeap::held_bytes();
    allocate_many(family, 2400);
    EXPECT_LE(PoolHeap::held_bytes(), before);
    const size_t with_more = PoolHeap::held_bytes();
    for (size_t i = 1; i < 5000; i += 2) {
        PoolHeap::deallocate(objects[i]);
    }
    EXPECT_LE(PoolHeap::held_bytes(), with_more);
}

size_t resident_bytes() {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    return pages * platform::page_bytes();
}

TEST_F(PoolHeapTest, APhaseThatFreesEverythingGivesMemoryBack) {
    constexpr size_t bytes = size_t{64} << 20;
    const uint32_t families[] = {heap.add(16), heap.add(200), heap.add(5000)};
    std::vector<std::vector<char*>> phases;
    for (const uint32_t family : families) {
        phases.push_back(allocate_many(family, bytes / PoolHeap::chunk_bytes(family)));
        for (char* object : phases.back()) {
            *object = 1;
        }
    }
    const size_t full = resident_bytes();
    for (const auto& objects : phases) {
        free_all(objects);
    }
    EXPECT_LT(resident_bytes(), full - 3 * (bytes - bytes / 8));
}

/// What the kernel reports of the pools' range under a name, in bytes.
size_t bytes_of_range(const char* name) {
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    size_t sum = 0;
    bool is_pools = false;
    while (std::getline(maps, line)) {
        uintptr_t start = 0;
        uintptr_t end = 0;
        if (sscanf(line.c_str(), "%lx-%lx", &start, &end) == 2) {
            is_pools = start - heaps::pool_arena.base() < heaps::pool_arena.bytes();
        } else if (is_pools && line.starts_with(name)) {
            sum += std::stoul(line.substr(strlen(name))) << 10;
        }
    }
    return sum;
}

/// Whether this system makes a huge page now: it may not be allowed to, or have none.
bool makes_huge_pages() {
    void* start = platform::reserve_pages(platform::huge_page_bytes, platform::huge_page_bytes);
    memset(start, 1, platform::huge_page_bytes);
    const bool made = platform::gather_huge_page(start);
    platform::unmap_pages(start, platform::huge_page_bytes);
    return made && platform::huge_pages_are_allowed();
}

TEST_F(PoolHeapTest, WhatPoolsFillBecomesHugePagesWhereTheyArePreferred) {
    constexpr size_t bytes = size_t{24} << 20;
    const uint32_t family = heap.add(256);
    const auto before = allocate_many(family, bytes / 256);
    const size_t huge = bytes_of_range("AnonHugePages:");
    const size_t resident = bytes_of_range("Rss:");
    PoolHeap::prefer_huge_pages();
    const auto after = allocate_many(family, bytes / 256);
    EXPECT_LT(bytes_of_range("Rss:") - resident, bytes + bytes / 8) << "no pages that no object needs";
    if (makes_huge_pages()) {
        EXPECT_GT(bytes_of_range("AnonHugePages:"), huge) << "the first is always asked for";
    }
    for (size_t i = 0; i < after.size(); ++i) {
        memcpy(after[i], &i, sizeof i);
    }
    free_all(before);
    free_all(after);
    EXPECT_LT(bytes_of_range("Rss:"), resident) << "huge pages go back too";
}

// In an order that leaves each pool some living object until nearly the end.
TEST_F(PoolHeapTest, APhaseThatFreesEverythingInAnyOrderGivesMemoryBack) {
    const size_t before = PoolHeap::held_bytes();
    auto objects = allocate_many(heap.add(100), 200000);
    std::shuffle(objects.begin(), objects.end(), std::mt19937(1));
    free_all(objects);
    EXPECT_LE(PoolHeap::held_bytes(), before + heaps::largest_range);
}

TEST_F(PoolHeapTest, PoolsThatEmptyBesideOthersGoBack) {
    const uint32_t family = heap.add(100);
    const auto objects = allocate_many(family, 100000);
    const size_t full = PoolHeap::held_bytes();
    for (size_t i = 1000; i < objects.size(); ++i) {
        PoolHeap::deallocate(objects[i]);
    }
    EXPECT_LE(PoolHeap::held_bytes(), full - 100000u * 112 / 2);
}

TEST_F(PoolHeapTest, FamiliesThatAreKeptGoBackWhenOthersAre) {
    const size_t before = PoolHeap::held_bytes();
    for (int i = 0; i < 100; ++i) {
        free_all(allocate_many(heap.add(100), 1000));
    }
    EXPECT_LE(PoolHeap::held_bytes(), before + heaps::largest_range);
}

TEST_F(PoolHeapTest, WhatOneThreadMadeAndAnotherFreedGivesMemoryBack) {
    constexpr size_t bytes = size_t{64} << 20;
    const uint32_t family = heap.add(200);
    const auto objects = allocate_many(family, bytes / 208);
    for (char* object : objects) {
        *object = 1;
    }
    const size_t full = resident_bytes();
    std::thread([&] { free_all(objects); }).join();
    EXPECT_LT(resident_bytes(), full - bytes / 2);
}

TEST_F(PoolHeapTest, FreeingAtTheBorderOfAPoolDoesNotThrash) {
    const uint32_t family = heap.add(64);
    PoolHeap::deallocate(allocate(family));
    const size_t held = PoolHeap::held_bytes();
    for (int round = 0; round < 1000; ++round) {
        void* object = allocate(family);
        EXPECT_EQ(PoolHeap::held_bytes(), held);
        PoolHeap::deallocate(object);
        EXPECT_EQ(PoolHeap::held_bytes(), held) << "an empty pool waits for the next request";
    }
}

TEST_F(PoolHeapTest, DestroyedFamiliesLeaveNothing) {
    const size_t before = PoolHeap::held_bytes();
    const uint32_t family = heap.add(300);
    std::thread([&] { allocate_many(family, 1000); }).join();
    allocate_many(family, 100000);
    const auto mine = allocate_many(family, 1000);
    PoolHeap::deallocate(mine[500]);
    heap.destroy(family);
    EXPECT_LE(PoolHeap::held_bytes(), before);
    EXPECT_FALSE(PoolHeap::owns(mine[0]));
    EXPECT_EQ(heap.add(40), family) << "its number comes again";
    EXPECT_EQ(PoolHeap::usable_size(allocate(family)), 48u);
}

TEST_F(PoolHeapTest, ManyThreadsWithManyFamiliesStaySmall) {
    std::vector<uint32_t> families(100);
    std::generate(families.begin(), families.end(), [&] { return heap.add(48); });
    const size_t before = PoolHeap::held_bytes();
    std::atomic<int> left = 200;
    std::vector<std::thread> threads;
    for (int i = 0; i < 200; ++i) {
        threads.emplace_back([&] {
            for (const uint32_t family : families) {
                for (int j = 0; j < 4; ++j) {
                    if (char* object = allocate(family)) {
                        *object = 1;
                    }
                }
            }
            --left;
            left.notify_all();
            for (int now = left; now != 0; now = left) {
                left.wait(now);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_LE(PoolHeap::held_bytes(), before + families.size() * 10 * heaps::smallest_range)
        << "a few requests are not worth a pool";
}

using PoolHeapDeathTest = PoolHeapTest;

TEST_F(PoolHeapDeathTest, PointersIntoObjectsAreRefused) {
    const uint32_t family = heap.add(64);
    char* object = allocate(family);
    EXPECT_DEATH(PoolHeap::release_any(object + 16), "no object of a pool");
}

TEST_F(PoolHeapDeathTest, FreeingTwiceInARowIsRefused) {
    const auto objects = allocate_many(heap.add(64), 2);
    PoolHeap::deallocate(objects[0]);
    EXPECT_DEATH(PoolHeap::deallocate(objects[0]), "freed twice");
}

TEST_F(PoolHeapTest, WhatIsWrittenToFreeObjectsDoesNoHarmInTheMagazine) {
    const uint32_t family = heap.add(64);
    const auto objects = allocate_many(family, 3);
    PoolHeap::deallocate(objects[0]);
    PoolHeap::deallocate(objects[1]);
    memset(objects[0], 0x41, 64);
    memset(objects[1], 0x41, 64);
    EXPECT_EQ(allocate(family), objects[1]);
    EXPECT_EQ(allocate(family), objects[0]);
}

TEST_F(PoolHeapDeathTest, OverwrittenLinksAreNotFollowed) {
    const uint32_t family = heap.add(64);
    const auto objects = allocate_many(family, 20000);
    for (size_t i = 1; i < objects.size(); ++i) {
        PoolHeap::deallocate(objects[i]);
    }
    for (size_t i = 1; i < objects.size(); ++i) {
        if (PoolHeap::owns(objects[i])) {
            memset(objects[i], 0x41, 64);
        }
    }
    EXPECT_DEATH(allocate_many(family, objects.size()), "written to");
}

}  // namespace
}  // namespace malloom::tests
