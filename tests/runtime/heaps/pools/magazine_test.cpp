// Magazines, as the instructions of a signal handler between those of its thread leave them.
#include "runtime/heaps/pools/magazine.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace malloom::tests
