// Seeded faults in what pools keep, which the checks must find: in checked builds with what they walk over,
// in all builds where a wrong answer would hand out memory that is not the pool's.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/heaps/pools/pool_heap.h"
#include "tests/runtime/heaps/pools/pools_here.h"

namespace malloom::tests {
namespace {

class PoolValidityDeathTest : public testing::Test {
  protected:
    heaps::Pool& pool_of(const void* object) { return *pools.heap.arena().find(object); }
    // Until the magazine is empty, and a few objects beyond.
    void allocate_many() {
        for (int i = 0; i < 1000; ++i) {
            pools.allocate(client);
        }
    }
    // So many that some go back to their pool.
    std::vector<char*> free_half() {
        std::vector<char*> objects(20000);
        for (char*& object : objects) {
            object = pools.allocate(client);
        }
        for (size_t i = 0; i < objects.size(); i += 2) {
            pools.deallocate(objects[i]);
        }
        return objects;
    }

    PoolsHere pools;
    const uint32_t client = pools.heap.add(48);
};

TEST_F(PoolValidityDeathTest, MoreThanFitsIsNotHandedOut) {
    heaps::Pool& pool = pool_of(pools.allocate(client));
    EXPECT_DEATH(
        {
            pool.carved = pool.capacity + 1;
            pool.out = pool.carved - 2;
            allocate_many();
        },
        "malloom: fault of malloom's own: ");
}

TEST_F(PoolValidityDeathTest, MoreThanFitsIsNotCarved) {
    heaps::PoolArena& arena = pools.heap.arena();
    heaps::Pool& pool = pool_of(pools.allocate(client));
    uint32_t count = 1;
    EXPECT_DEATH(
        {
            pool.carved = pool.capacity + 1;
            arena.carve(pool, count);
        },
        "malloom: fault of malloom's own: chunks.cpp:.*pool.carved <= pool.capacity");
}

TEST_F(PoolValidityDeathTest, AChunkThatIsNotThereIsNotLookedForBeyondTheOthers) {
    heaps::PoolArena& arena = pools.heap.arena();
    heaps::Pool& pool = pool_of(pools.allocate(client));
    uint64_t chunk = 0;
    EXPECT_DEATH(
        {
            --pool.out;
            arena.take_chunks(pool, 1, &chunk);
        },
        "malloom: fault of malloom's own: chunks.cpp:.*pool.search . 64 < pool.carved");
}

TEST_F(PoolValidityDeathTest, ChunksThatWereNeverOutDoNotComeBack) {
    const std::vector<char*> objects = free_half();
    heaps::Pool& pool = pool_of(objects.front());
    EXPECT_DEATH(
        {
            pool.carved = 1;
            for (size_t i = 1; i < objects.size(); i += 2) {
                pools.deallocate(objects[i]);
            }
        },
        "malloom: fault of malloom's own: chunks.cpp:.*index < carved");
}

TEST_F(PoolValidityDeathTest, ARangeOfAnotherPoolIsNotUsedAgain) {
    heaps::PoolArena& arena = pools.heap.arena();
    const heaps::Pool& other = pool_of(pools.allocate(client));
    heaps::Pool* pool = arena.take(other.order, {48, false, false, 0});
    arena.give_back(*pool);
    EXPECT_DEATH(
        {
            pool->start = other.start;
            arena.take(other.order, {48, false, false, 0});
        },
        "malloom: fault of malloom's own: arena.cpp:.*find.*nullptr");
}

#if defined(MALLOOM_CHECKED)
TEST_F(PoolValidityDeathTest, RangesOfPoolsFillTheBlocks) {
    heaps::PoolArena& arena = pools.heap.arena();
    heaps::Pool& pool = pool_of(pools.allocate(client));
    EXPECT_TRUE(arena.is_valid());
    EXPECT_DEATH(
        {
            ++pool.order;
            for (int i = 0; i < 3; ++i) {  // more than a block
                arena.take(heaps::pool_orders - 1, {48, false, false, 0});
            }
        },
        "arena.cpp:.*is_valid");
}

TEST_F(PoolValidityDeathTest, CountsAndFreeBitsAgree) {
    heaps::Pool& pool = pool_of(pools.allocate(client));
    EXPECT_DEATH(
        {
            --pool.out;
            allocate_many();
        },
        "open_magazine.cpp:.*is_valid.pool.");
}

TEST_F(PoolValidityDeathTest, ListsHoldTheThreadsOwnPools) {
    heaps::Pool& pool = pool_of(pools.allocate(client));
    EXPECT_DEATH(
        {
            pool.owned_before = &pool;
            pools.end_thread();
        },
        "threads.cpp:.*is_valid.self, client");
}

TEST_F(PoolValidityDeathTest, MagazinesHoldTheirClientsChunks) {
    const uint32_t other = pools.heap.add(96);
    const auto wrong = reinterpret_cast<uint64_t>(pools.allocate(other));
    free_half();
    EXPECT_DEATH(
        {
            *pools.self().local(client).slots = wrong;
            pools.end_thread();
        },
        "open_magazine.cpp:.*is_valid");
}
#endif

}  // namespace
}  // namespace malloom::tests
