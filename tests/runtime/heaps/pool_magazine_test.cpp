// Magazines, as the instructions of a signal handler between those of its thread leave them.
#include "runtime/heaps/pool_magazine.h"

#include <gtest/gtest.h>

#include "runtime/heaps/pool_chunks.h"
#include "runtime/heaps/pool_heap.h"

namespace malloom::tests {
namespace {

using namespace heaps;

class PoolMagazineTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(heap.open());
        family = heap.add(48);
        for (auto*& object : objects) {
            object = PoolHeap::allocate(family);
        }
        PoolHeap::deallocate(objects[0]);
        PoolHeap::deallocate(objects[1]);
        top = &pool_thread->top(family);
    }

    bool is_whole() { return OpenMagazine(*pool_thread, family).is_whole(); }

    PoolHeap heap;
    uint32_t family = PoolHeap::none;
    void* objects[16] = {};
    uint64_t* top = nullptr;
};

TEST_F(PoolMagazineTest, NothingIsTakenFromAClosedOneNorPutThere) {
    uint64_t closed = closed_top();
    EXPECT_EQ(take_from_magazine(closed), nullptr);
    EXPECT_FALSE(put_into_magazine(closed, objects[2]));
    EXPECT_EQ(closed, closed_top());
}

TEST_F(PoolMagazineTest, WhatIsBeingTakenStaysWhereItIs) {
    MagazineSlot* claimed = move_top(*top, -1) - 1;
    EXPECT_FALSE(is_whole());
    EXPECT_FALSE(put_into_magazine(*top, objects[2])) << "the slot is not empty yet";
    PoolHeap::deallocate(objects[2]);
    EXPECT_EQ(*claimed, reinterpret_cast<MagazineSlot>(objects[1]));
    EXPECT_EQ(take_from_magazine(*top), objects[0]) << "what lies below may be taken";
    EXPECT_TRUE(put_into_magazine(*top, objects[0]));
    *claimed = 0;
    EXPECT_TRUE(is_whole());
}

TEST_F(PoolMagazineTest, WhereAChunkIsBeingPutNothingIsTaken) {
    MagazineSlot* claimed = move_top(*top, 1);
    EXPECT_FALSE(is_whole());
    EXPECT_EQ(take_from_magazine(*top), nullptr);
    EXPECT_EQ(PoolHeap::allocate(family), nullptr);
    EXPECT_TRUE(put_into_magazine(*top, objects[2])) << "above it there is room";
    EXPECT_EQ(take_from_magazine(*top), objects[2]);
    *claimed = reinterpret_cast<MagazineSlot>(objects[3]);
    EXPECT_TRUE(is_whole());
    EXPECT_EQ(take_from_magazine(*top), objects[3]);
}

TEST_F(PoolMagazineTest, AnOpenOneIsClosedToHandlers) {
    const BusyScope busy(pool_thread);
    const OpenMagazine magazine(*pool_thread, family);
    ASSERT_TRUE(magazine.is_whole());
    EXPECT_EQ(*top, closed_top());
    EXPECT_FALSE(OpenMagazine(*pool_thread, family).is_whole());
    EXPECT_EQ(*top, closed_top());
    EXPECT_FALSE(PoolHeap::release_small(objects[2]));
}

}  // namespace
}  // namespace malloom::tests
