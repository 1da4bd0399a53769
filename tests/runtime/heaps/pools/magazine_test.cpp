// Magazines, as the instructions of a signal handler between those of its thread leave them.
#include "runtime/heaps/pools/magazine.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "runtime/heaps/pools/open_magazine.h"
#include "tests/runtime/heaps/pools/pools_here.h"

namespace malloom::tests {
namespace {

using namespace heaps;

class MagazineTest : public testing::Test {
  protected:
    void SetUp() override {
        client = pools.heap.add(48);
        for (auto*& object : objects) {
            object = pools.allocate(client);
        }
        pools.deallocate(objects[0]);
        pools.deallocate(objects[1]);
        top = &pools.self().top(client);
    }
    bool is_whole() { return OpenMagazine(pools.heap, pools.self(), client).is_whole(); }
    void* end_taking_at(MagazineSlot* slot) {
        MagazineClaim left = {top, slot};
        return end_taking(left);
    }
    bool end_putting_at(MagazineSlot* slot, void* object) {
        MagazineClaim left = {top, slot};
        return end_putting(left, object);
    }
    static MagazineSlot slot_of(const void* object) { return reinterpret_cast<MagazineSlot>(object); }

    PoolsHere pools;
    uint32_t client = PoolHeap::none;
    void* objects[16] = {};
    uint64_t* top = nullptr;
    MagazineClaim claim = {};
};

TEST_F(MagazineTest, NothingIsTakenFromAClosedOneNorPutThere) {
    uint64_t closed = closed_top();
    EXPECT_EQ(take_from_magazine(closed, claim), nullptr);
    EXPECT_FALSE(put_into_magazine(closed, objects[2], claim));
    EXPECT_EQ(closed, closed_top());
}

TEST_F(MagazineTest, WhatIsBeingTakenStaysWhereItIs) {
    move_top(*top, -1);
    const MagazineSlot* claimed = slot_at(*top);
    EXPECT_FALSE(is_whole());
    EXPECT_FALSE(pools.heap.release_fast(pools.self(), objects[2])) << "the slot is not empty yet";
    EXPECT_EQ(*claimed, slot_of(objects[1]));
    EXPECT_EQ(take_from_magazine(*top, claim), objects[0]) << "what lies below may be taken";
}

TEST_F(MagazineTest, AClaimIsFoundWhereAHandlerHasTakenMore) {
    MagazineSlot* seen = slot_at(*top) - 1;
    move_top(*top, -1);
    ASSERT_EQ(take_from_magazine(*top, claim), objects[0]);  // the handler
    EXPECT_EQ(end_taking_at(seen), objects[1]);
    EXPECT_TRUE(is_whole());
    EXPECT_TRUE(put_into_magazine(*top, objects[0], claim));
    EXPECT_EQ(take_from_magazine(*top, claim), objects[0]);
}

TEST_F(MagazineTest, AClaimIsFoundWhereAHandlerTookBeforeIt) {
    MagazineSlot* seen = slot_at(*top) - 1;
    ASSERT_EQ(take_from_magazine(*top, claim), objects[1]);  // the handler
    move_top(*top, -1);
    EXPECT_EQ(end_taking_at(seen), objects[0]);
    EXPECT_TRUE(is_whole());
}

TEST_F(MagazineTest, AClaimIsFoundWhereAHandlerPutBeforeIt) {
    MagazineSlot* seen = slot_at(*top) - 1;
    ASSERT_TRUE(put_into_magazine(*top, objects[2], claim));  // the handler
    move_top(*top, -1);
    EXPECT_EQ(end_taking_at(seen), objects[2]);
    EXPECT_TRUE(is_whole());
}

TEST_F(MagazineTest, AClaimOfNothingIsGivenUp) {
    while (take_from_magazine(*top, claim) != nullptr) {
    }
    const uint64_t empty = *top;
    move_top(*top, -1);  // a handler had taken the last
    EXPECT_EQ(end_taking_at(reinterpret_cast<MagazineSlot*>(empty)), nullptr);
    EXPECT_EQ(*top, empty);
}

TEST_F(MagazineTest, WhereAChunkIsBeingPutNothingIsTaken) {
    MagazineSlot* claimed = slot_at(*top);
    move_top(*top, 1);
    EXPECT_FALSE(is_whole());
    EXPECT_EQ(take_from_magazine(*top, claim), nullptr);
    EXPECT_EQ(pools.heap.allocate(pools.self(), client), nullptr);
    EXPECT_TRUE(put_into_magazine(*top, objects[2], claim)) << "above it there is room";
    EXPECT_EQ(take_from_magazine(*top, claim), objects[2]);
    *claimed = slot_of(objects[3]);
    EXPECT_TRUE(is_whole());
}

TEST_F(MagazineTest, AClaimIsFoundWhereAHandlerHasPutMore) {
    MagazineSlot* claimed = slot_at(*top);
    move_top(*top, 1);
    ASSERT_TRUE(put_into_magazine(*top, objects[2], claim));  // the handler
    EXPECT_TRUE(end_putting_at(claimed, objects[3]));
    EXPECT_EQ(*claimed, slot_of(objects[3]));
    EXPECT_TRUE(is_whole());
    EXPECT_EQ(take_from_magazine(*top, claim), objects[2]);
    EXPECT_EQ(take_from_magazine(*top, claim), objects[3]);
    EXPECT_EQ(take_from_magazine(*top, claim), objects[1]);
}

TEST_F(MagazineTest, AClaimIsFoundWhereAHandlerTookOrPutBeforeIt) {
    MagazineSlot* seen = slot_at(*top);
    ASSERT_EQ(take_from_magazine(*top, claim), objects[1]);  // the handler
    move_top(*top, 1);
    EXPECT_TRUE(end_putting_at(seen, objects[3]));
    EXPECT_TRUE(is_whole());
    seen = slot_at(*top);
    ASSERT_TRUE(put_into_magazine(*top, objects[1], claim));  // the handler
    move_top(*top, 1);
    EXPECT_TRUE(end_putting_at(seen, objects[4]));
    EXPECT_TRUE(is_whole());
    EXPECT_EQ(take_from_magazine(*top, claim), objects[4]);
    EXPECT_EQ(take_from_magazine(*top, claim), objects[1]);
    EXPECT_EQ(take_from_magazine(*top, claim), objects[3]);
}

TEST_F(MagazineTest, AnOpenOneIsClosedToHandlers) {
    const BusyScope busy(pools.self());
    const OpenMagazine magazine(pools.heap, pools.self(), client);
    ASSERT_TRUE(magazine.is_whole());
    EXPECT_EQ(*top, closed_top());
    EXPECT_FALSE(is_whole());
    EXPECT_EQ(*top, closed_top());
    EXPECT_FALSE(pools.heap.release_fast(pools.self(), objects[2]));
}

TEST_F(MagazineTest, WhereAChunkIsBeingTakenNothingIsFlushed) {
    MagazineSlot* seen = slot_at(*top) - 1;
    move_top(*top, -1);
    ASSERT_EQ(take_from_magazine(*top, claim), objects[0]);  // the handler
    {
        const BusyScope busy(pools.self());
        EXPECT_FALSE(OpenMagazine(pools.heap, pools.self(), client).flush());
    }
    EXPECT_EQ(end_taking_at(seen), objects[1]);
    EXPECT_TRUE(is_whole());
}

TEST_F(MagazineTest, AThreadThatEndsWhileAChunkIsBeingTakenLeavesAWholeHeap) {
    move_top(*top, -1);
    ASSERT_EQ(take_from_magazine(*top, claim), objects[0]);  // the handler
    pools.end_thread();
    void* next = pools.allocate(client);
    EXPECT_NE(next, objects[1]) << "nobody knows whether it was handed out";
    pools.deallocate(next);
    for (int i = 2; i < 16; ++i) {
        pools.deallocate(objects[i]);
    }
    EXPECT_TRUE(pools.heap.is_valid(pools.self(), client));
}

// Pools of which little is left, after some that another thread has a part of.
class SparePools : public MagazineTest {
  protected:
    static constexpr size_t made = 100'000, stays = 100;

    void SetUp() override {
        MagazineTest::SetUp();
        std::thread([this] { pools.deallocate(pools.allocate(client)); }).join();
        std::vector<void*> all(made);
        for (void*& object : all) {
            object = pools.allocate(client);
        }
        for (size_t i = 0; i < made; ++i) {
            if (i % stays != 0) {
                pools.deallocate(all[i]);
            } else {
                left.push_back(all[i]);
            }
        }
    }
    Pool*& spare() { return pools.self().spare(class_of(48)); }
    void* object_in(const Pool* pool) {
        for (void* object : left) {
            if (pools.heap.arena().find(object) == pool) {
                return object;
            }
        }
        return nullptr;
    }
    uint8_t* state_of(const void* object) { return pools.heap.arena().state_of(object); }

    std::vector<void*> left;
};

// As the fast path leaves it, between what says that the object is free and the magazine.
TEST_F(SparePools, APoolWithAChunkInSomebodysHandIsNotLent) {
    Pool* pool = spare();
    ASSERT_NE(pool, nullptr);
    void* object = object_in(pool);
    ASSERT_NE(object, nullptr);
    *state_of(object) = ChunkState::none;
    const uint32_t other = pools.heap.add(48);
    EXPECT_NE(pools.heap.arena().find(pools.allocate(other)), pool);
    *state_of(object) = pools.self().mark;
    EXPECT_EQ(pools.heap.arena().find(pools.allocate(pools.heap.add(48))), pool) << "now it is";
}

TEST_F(SparePools, FastPathsLeaveObjectsOfPoolsWithoutAnOwner) {
    void* object = left.back();
    pools.end_thread();
    ASSERT_EQ(pools.heap.arena().find(object)->owner, nullptr);
    // As a handler finds it that comes before all objects are marked.
    *state_of(object) = pools.self().own;
    EXPECT_FALSE(pools.heap.release_fast(pools.self(), object));
    EXPECT_EQ(*state_of(object), pools.self().own);
    pools.deallocate(object);
}

}  // namespace
}  // namespace malloom::tests
