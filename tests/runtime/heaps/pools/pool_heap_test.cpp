#include "runtime/heaps/pools/pool_heap.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "runtime/platform/memory.h"
#include "tests/amount.h"
#include "tests/runtime/heaps/pools/pools_here.h"

namespace malloom::tests {
namespace {

using heaps::PoolHeap;

class PoolHeapTest : public testing::Test {
  protected:
    char* allocate(uint32_t client) { return pools.allocate(client); }
    void deallocate(void* object) { pools.deallocate(object); }
    std::vector<char*> allocate_many(uint32_t client, size_t count) {
        std::vector<char*> objects(count);
        std::generate(objects.begin(), objects.end(), [=, this] { return allocate(client); });
        return objects;
    }
    void free_all(const std::vector<char*>& objects) {
        for (char* object : objects) {
            deallocate(object);
        }
    }

    size_t held_bytes() const { return pools.held_bytes(); }

    PoolsHere pools;
    PoolHeap& heap = pools.heap;
};

TEST_F(PoolHeapTest, ObjectsOfAClientFollowOneAnother) {
    const uint32_t client = heap.add(40);
    char* first = allocate(client);
    for (int i = 1; i < 100; ++i) {
        EXPECT_EQ(allocate(client), first + 48 * i);
    }
    EXPECT_EQ(heap.usable_size(first), 48u);
    EXPECT_EQ(heap.chunk_bytes(client), 48u);
}

TEST_F(PoolHeapTest, LargeObjectsBeginWithAPairOfLines) {
    const uint32_t client = heap.add(1928);
    for (const char* object : allocate_many(client, 100)) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % 128, 0u);
        EXPECT_EQ(heap.usable_size(object), 2048u);
    }
    for (size_t bytes = 0; bytes <= 4096; ++bytes) {
        EXPECT_GE(heap.chunk_for(bytes), bytes);
        EXPECT_LE(heap.chunk_for(bytes), bytes < 120 ? bytes + 16 : bytes + bytes / 8);
        EXPECT_EQ(heap.chunk_for(bytes) % (bytes < 1024 ? 16 : 128), 0u);
    }
}

TEST_F(PoolHeapTest, ChunksMayLieAsTightlyAsTheyCan) {
    const char* spread = allocate(heap.add(64));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(spread) % 64, 32u);
    heap.pack(true);
    const char* packed = allocate(heap.add(64));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(packed) % 64, 0u);
    EXPECT_EQ(heap.chunk_for(1928), 1936u);
}

// What a handler does that comes while a client is added.
PoolHeap* interrupted = nullptr;
volatile sig_atomic_t interruptions = 0;
volatile sig_atomic_t added = 0;
void add_in_handler(int) {
    interrupted->destroy(static_cast<uint32_t>(added));
    added = static_cast<sig_atomic_t>(interrupted->add(48));
    interruptions = interruptions + 1;
}

// A handler that waits for its own thread's lock waits for good: the alarm ends the test then.
TEST_F(PoolHeapTest, HandlersMayAddWhileClientsAreAdded) {
    interrupted = &heap;
    struct sigaction action = {};
    action.sa_handler = add_in_handler;
    sigaction(SIGUSR1, &action, nullptr);
    alarm(60);
    std::atomic<bool> is_over = false;
    std::thread interrupter([&, self = pthread_self()] {
        while (!is_over) {
            pthread_kill(self, SIGUSR1);
        }
    });
    while (interruptions < amount(1000)) {
        const uint32_t number = heap.add(600);
        EXPECT_NE(number, static_cast<uint32_t>(added));
        heap.destroy(number);
    }
    is_over = true;
    interrupter.join();
    alarm(0);
}

// As a handler does that comes while its thread takes memory for a pool.
TEST_F(PoolHeapTest, WhoHoldsTheArenaAddsNobody) {
    {
        const structures::Locked locked(heap.arena().lock);
        EXPECT_EQ(heap.add(40), PoolHeap::none);
        EXPECT_EQ(heap.common(4000), PoolHeap::none);
        EXPECT_TRUE(heap.arena().lock.is_mine());
    }
    EXPECT_NE(heap.add(40), PoolHeap::none);
    EXPECT_NE(heap.common(4000), PoolHeap::none);
}

TEST_F(PoolHeapTest, WhatWasFreedLastComesFirst) {
    const uint32_t client = heap.add(64);
    const auto objects = allocate_many(client, 3);
    free_all(objects);
    EXPECT_EQ(allocate(client), objects[2]);
    EXPECT_EQ(allocate(client), objects[1]);
    EXPECT_EQ(allocate(client), objects[0]);
}

TEST_F(PoolHeapTest, WhatIsNoFamilyGetsNothing) {
    EXPECT_EQ(heap.add(heaps::largest_chunk + 1), PoolHeap::none);
    EXPECT_EQ(heap.allocate_fast(pools.self(), PoolHeap::none), nullptr);
    EXPECT_EQ(heap.allocate(pools.self(), PoolHeap::none), nullptr);
    const uint32_t client = heap.add(16);
    heap.destroy(client);
    EXPECT_EQ(allocate(client), nullptr);
    void* other = malloc(16);
    EXPECT_FALSE(heap.owns(other));
    EXPECT_FALSE(heap.release_fast(pools.self(), other));
    free(other);
    EXPECT_FALSE(heap.release_fast(pools.self(), nullptr));
}

TEST_F(PoolHeapTest, WhatIsFreedGoesBack) {
    const size_t before = held_bytes();
    const uint32_t client = heap.add(100);
    const auto objects = allocate_many(client, 300000);
    EXPECT_EQ(std::set<char*>(objects.begin(), objects.end()).size(), objects.size());
    EXPECT_GE(held_bytes() - before, 300000u * 112);
    EXPECT_LE(held_bytes() - before, 300000u * 112 + heaps::largest_range);
    free_all(objects);
    EXPECT_LE(held_bytes() - before, heaps::largest_range);
}

TEST_F(PoolHeapTest, WhatOtherThreadsFreeIsUsedAgain) {
    const uint32_t client = heap.add(100);
    auto objects = allocate_many(client, 100000);
    const size_t before = held_bytes();
    for (int round = 0; round < 5; ++round) {
        std::thread([&] { free_all(objects); }).join();
        objects = allocate_many(client, objects.size());
        EXPECT_LE(held_bytes(), before + heaps::largest_range);
        EXPECT_EQ(std::set<char*>(objects.begin(), objects.end()).size(), objects.size());
    }
}

TEST_F(PoolHeapTest, PoolsOfEndedThreadsAreAdopted) {
    const uint32_t client = heap.add(200);
    std::vector<char*> objects;
    std::thread([&] {
        objects = allocate_many(client, 5000);
        for (size_t i = 0; i < 5000; i += 2) {
            deallocate(objects[i]);
        }
    }).join();
    const size_t before = held_bytes();
    allocate_many(client, 2400);
    EXPECT_LE(held_bytes(), before);
    const size_t with_more = held_bytes();
    for (size_t i = 1; i < 5000; i += 2) {
        deallocate(objects[i]);
    }
    EXPECT_LE(held_bytes(), with_more);
}

size_t resident_bytes() {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    return pages * platform::page_bytes();
}

TEST_F(PoolHeapTest, APhaseThatFreesEverythingGivesMemoryBack) {
    constexpr size_t bytes = size_t{64} << 20;
    const uint32_t clients[] = {heap.add(16), heap.add(200), heap.add(5000)};
    std::vector<std::vector<char*>> phases;
    for (const uint32_t client : clients) {
        phases.push_back(allocate_many(client, bytes / heap.chunk_bytes(client)));
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

/// What the kernel reports of the arena under a name, in bytes.
size_t bytes_of_range(const heaps::PoolArena& arena, const char* name) {
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    size_t sum = 0;
    bool is_pools = false;
    while (std::getline(maps, line)) {
        uintptr_t start = 0;
        uintptr_t end = 0;
        if (sscanf(line.c_str(), "%lx-%lx", &start, &end) == 2) {
            is_pools = start - arena.base() < arena.bytes();
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

TEST_F(PoolHeapTest, BlocksAreHugePagesBeforeTheirFirstUseWhereTheyArePreferred) {
    constexpr size_t bytes = size_t{24} << 20;
    heap.arena().prefer_huge_pages();
    allocate_many(heap.add(16), 1);
    EXPECT_EQ(bytes_of_range(heap.arena(), "AnonHugePages:"), 0u) << "hardly used";
    allocate_many(heap.add(256), bytes / 256);
    if (makes_huge_pages()) {
        EXPECT_GE(bytes_of_range(heap.arena(), "AnonHugePages:"), heaps::block_bytes);
    }
    EXPECT_LT(bytes_of_range(heap.arena(), "Rss:"), bytes + bytes / 16 + heaps::block_bytes);
}

TEST_F(PoolHeapTest, WhatPoolsFillBecomesHugePagesWhereTheyArePreferred) {
    constexpr size_t bytes = size_t{24} << 20;
    const uint32_t client = heap.add(256);
    const auto before = allocate_many(client, bytes / 256);
    const size_t huge = bytes_of_range(heap.arena(), "AnonHugePages:");
    const size_t resident = bytes_of_range(heap.arena(), "Rss:");
    heap.arena().prefer_huge_pages();
    const auto after = allocate_many(client, bytes / 256);
    EXPECT_LT(bytes_of_range(heap.arena(), "Rss:") - resident, bytes + bytes / 8)
        << "no pages that no object needs";
    if (makes_huge_pages()) {
        EXPECT_GT(bytes_of_range(heap.arena(), "AnonHugePages:"), huge) << "the first is always asked for";
    }
    for (size_t i = 0; i < after.size(); ++i) {
        memcpy(after[i], &i, sizeof i);
    }
    free_all(before);
    free_all(after);
    EXPECT_LT(bytes_of_range(heap.arena(), "Rss:"), resident) << "huge pages go back too";
}

// In an order that leaves each pool some living object until nearly the end.
TEST_F(PoolHeapTest, APhaseThatFreesEverythingInAnyOrderGivesMemoryBack) {
    const size_t before = held_bytes();
    auto objects = allocate_many(heap.add(100), 200000);
    std::shuffle(objects.begin(), objects.end(), std::mt19937(1));
    free_all(objects);
    EXPECT_LE(held_bytes(), before + heaps::largest_range);
}

TEST_F(PoolHeapTest, PoolsThatEmptyBesideOthersGoBack) {
    const uint32_t client = heap.add(100);
    const auto objects = allocate_many(client, 100000);
    const size_t full = held_bytes();
    for (size_t i = 1000; i < objects.size(); ++i) {
        deallocate(objects[i]);
    }
    EXPECT_LE(held_bytes(), full - 100000u * 112 / 2);
}

TEST_F(PoolHeapTest, ClientsThatAreKeptGoBackWhenOthersAre) {
    const size_t before = held_bytes();
    for (int i = 0; i < 100; ++i) {
        free_all(allocate_many(heap.add(100), 1000));
    }
    EXPECT_LE(held_bytes(), before + heaps::largest_range);
}

// More of them than the magazines may keep at first.
TEST_F(PoolHeapTest, ClientsInTurnKeepTheirMagazines) {
    std::vector<uint32_t> clients(600);
    size_t bytes = 0;
    std::generate(clients.begin(), clients.end(), [&] { return heap.add(bytes = bytes % 1024 + 16); });
    const auto take_in_turn = [&] {
        size_t found = 0;
        for (const uint32_t client : clients) {
            void* object = heap.allocate_fast(pools.self(), client);
            found += object != nullptr;
            deallocate(object != nullptr ? object : allocate(client));
        }
        return found;
    };
    for (int round = 0; round < 10; ++round) {
        take_in_turn();
    }
    EXPECT_GT(take_in_turn(), clients.size() * 9 / 10);
}

TEST_F(PoolHeapTest, WhatIsLeftOfEndedThreadsServesOthers) {
    constexpr size_t count = 20000;
    const uint32_t client = heap.add(32);
    for (int round = 0; round < amount(100); ++round) {
        std::vector<char*> objects;
        std::thread([&] { objects = allocate_many(client, count); }).join();
        for (size_t i = 0; i < count; ++i) {
            if (i % 1000 != 0) {
                deallocate(objects[i]);
            }
        }
    }
    EXPECT_LT(held_bytes(), size_t{6} << 20) << "made once: " << count * 32;
}

TEST_F(PoolHeapTest, WhatOneThreadMadeAndAnotherFreedGivesMemoryBack) {
    constexpr size_t bytes = size_t{64} << 20;
    const uint32_t client = heap.add(200);
    const auto objects = allocate_many(client, bytes / 208);
    for (char* object : objects) {
        *object = 1;
    }
    const size_t full = bytes_of_range(heap.arena(), "Rss:");
    std::thread([&] { free_all(objects); }).join();
    EXPECT_LT(bytes_of_range(heap.arena(), "Rss:"), full - bytes / 2);
}

TEST_F(PoolHeapTest, FreeingAtTheBorderOfAPoolDoesNotThrash) {
    const uint32_t client = heap.add(64);
    deallocate(allocate(client));
    const size_t held = held_bytes();
    for (int round = 0; round < 1000; ++round) {
        void* object = allocate(client);
        EXPECT_EQ(held_bytes(), held);
        deallocate(object);
        EXPECT_EQ(held_bytes(), held) << "an empty pool waits for the next request";
    }
}

TEST_F(PoolHeapTest, DestroyedClientsLeaveNothing) {
    const size_t before = held_bytes();
    const uint32_t client = heap.add(300);
    std::thread([&] { allocate_many(client, 1000); }).join();
    allocate_many(client, 100000);
    const auto mine = allocate_many(client, 1000);
    deallocate(mine[500]);
    heap.destroy(client);
    EXPECT_LE(held_bytes(), before);
    EXPECT_FALSE(heap.owns(mine[0]));
    EXPECT_EQ(heap.add(40), client) << "its number comes again";
    EXPECT_EQ(heap.usable_size(allocate(client)), 48u);
}

using PoolHeapDeathTest = PoolHeapTest;

TEST_F(PoolHeapDeathTest, PointersIntoObjectsAreRefused) {
    for (const size_t bytes : {16, 48, 64, 200, 4096}) {
        char* object = allocate_many(heap.add(bytes), 100)[50];
        for (size_t offset = 1; offset < bytes; offset += offset < 16 ? 1 : 15) {
            EXPECT_FALSE(heap.release_fast(pools.self(), object + offset)) << offset;
        }
        EXPECT_DEATH(deallocate(object + 8), "where no object begins");
        if (bytes > 16) {
            EXPECT_DEATH(deallocate(object + 16), "where no object begins");
        }
    }
}

TEST_F(PoolHeapDeathTest, FreeingTwiceIsRefusedWhateverLiesBetween) {
    const uint32_t client = heap.add(64);
    const auto objects = allocate_many(client, 20000);
    deallocate(objects[0]);
    EXPECT_DEATH(deallocate(objects[0]), "freed before");
    for (size_t i = 1; i < objects.size(); i += 2) {
        deallocate(objects[i]);
    }
    for (const size_t i : {0, 1, 101, 9001, 19999}) {
        EXPECT_DEATH(deallocate(objects[i]), "freed before") << i;
    }
    EXPECT_DEATH(std::thread([&] { deallocate(objects[1]); }).join(), "freed before");
}

TEST_F(PoolHeapDeathTest, WhatWasNeverGivenOutIsRefused) {
    char* object = allocate(heap.add(64));
    EXPECT_DEATH(deallocate(object + 64), "freed before") << "in the magazine";
    EXPECT_DEATH(deallocate(object + 8192), "freed before") << "not carved yet";
}

TEST_F(PoolHeapDeathTest, TwoThreadsThatFreeTheSameAreNoticedBeforeItIsGivenTwice) {
    const uint32_t client = heap.add(64);
    char* object = allocate(client);
    // As a thread that looked at the state just before the owner changed it.
    const auto free_by_two = [&] {
        uint8_t* state = heap.arena().state_of(object);
        deallocate(object);
        *state = pools.self().mark;
        std::thread([&] { deallocate(object); }).join();
        *state = heaps::ChunkState::none;
        allocate_many(client, 20000);
    };
    EXPECT_DEATH(free_by_two(), "freed before");
}

TEST_F(PoolHeapTest, WhatIsWrittenToFreeObjectsDoesNoHarm) {
    const uint32_t client = heap.add(64);
    auto objects = allocate_many(client, 20000);
    free_all(objects);
    objects = allocate_many(client, 20000);
    for (size_t i = 1; i < objects.size(); ++i) {
        deallocate(objects[i]);
    }
    for (size_t i = 1; i < objects.size(); ++i) {
        memset(objects[i], 0x41, 64);
    }
    const auto others = allocate_many(client, 20000);
    EXPECT_EQ(std::set<char*>(others.begin(), others.end()).size(), others.size());
}

TEST_F(PoolHeapTest, AlignedPoolsGiveAnObjectsPlaceByItsAddress) {
    for (const size_t pool_bytes : {size_t{16} << 10, size_t{64} << 10, size_t{1} << 20}) {
        const uint32_t client = heap.add_aligned(40, pool_bytes);
        const size_t per_pool = pool_bytes / 48;
        const auto objects = allocate_many(client, 3 * per_pool);
        for (size_t i = 0; i < objects.size(); ++i) {
            const size_t offset = reinterpret_cast<uintptr_t>(objects[i]) & (pool_bytes - 1);
            EXPECT_EQ(offset, i % per_pool * 48);
        }
    }
    EXPECT_EQ(heap.add_aligned(40, 48), PoolHeap::none);
    EXPECT_EQ(heap.add_aligned(40, size_t{8} << 20), PoolHeap::none);
}

TEST_F(PoolHeapTest, ReciprocalsGiveEachChunksNumber) {
    heaps::Pool pool = {};
    for (uint32_t granules = 1; granules <= heaps::largest_chunk / 16; ++granules) {
        pool.chunk_bytes = granules * 16;
        pool.reciprocal = heaps::reciprocal_of(granules);
        pool.span = heaps::largest_range / pool.chunk_bytes * pool.chunk_bytes;
        for (uintptr_t address = 0; address < pool.span; address += 16 * (1 + address % 37)) {
            const auto at = heaps::index_of(pool, address);
            ASSERT_EQ(at.index, address / pool.chunk_bytes);
            ASSERT_EQ(at.is_exact, address % pool.chunk_bytes == 0);
        }
    }
}

}  // namespace
}  // namespace malloom::tests
