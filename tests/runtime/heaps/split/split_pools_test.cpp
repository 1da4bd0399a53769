// Pools of split objects: where their addresses lie, and that chunks and objects are told from each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "runtime/heaps/split/split_pools.h"
#include "tests/amount.h"
#include "tests/runtime/heaps/pools/pools_here.h"

namespace malloom::tests {
namespace {

using heaps::SplitPools;
using heaps::SplitShape;

class SplitPoolsTest : public testing::Test {
  protected:
    char* allocate(const SplitShape& shape, uint32_t client) {
        return static_cast<char*>(SplitPools::object_of(shape, pools_.allocate(client)));
    }
    void release(char* object) {
        pools_.deallocate(split_->chunk_of(*pools_.heap.arena().find(object), object));
    }

    PoolsHere pools_;
    std::unique_ptr<SplitPools> split_ = std::make_unique<SplitPools>();
};

// MPADS, section 2.3.1: a pool of 4 KiB, and structures of four fields of 4 bytes.
TEST_F(SplitPoolsTest, ThePapersExampleOfFourKibibytes) {
    const SplitShape shape = {4, 16, 4096};
    const uint32_t client = split_->add(pools_.heap, shape);
    ASSERT_NE(client, heaps::PoolHeap::none);
    const char* first = allocate(shape, client);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 4096, 0U);
    for (int i = 1; i < 256; ++i) {
        EXPECT_EQ(allocate(shape, client), first + 4 * i);
    }
    EXPECT_EQ(reinterpret_cast<uintptr_t>(allocate(shape, client)) % 4096, 0U);
}

TEST_F(SplitPoolsTest, FieldsOfLivingObjectsNeverOverlap) {
    struct Known {
        SplitShape shape;
        uint32_t client;
    };
    std::vector<Known> known;
    for (const SplitShape shape : {SplitShape{8, 24, 1 << 14}, SplitShape{8, 65, 1 << 20},
                                   SplitShape{4, 20, 1 << 12}, SplitShape{2, 9, 1 << 16}}) {
        known.push_back({shape, split_->add(pools_.heap, shape)});
        ASSERT_NE(known.back().client, heaps::PoolHeap::none);
    }
    std::mt19937_64 random(1);
    std::set<char*> living;
    std::vector<char*> objects;
    for (int step = 0; step < amount(200'000); ++step) {
        if (random() % 3 == 0 && !objects.empty()) {
            std::swap(objects[random() % objects.size()], objects.back());
            living.erase(objects.back());
            release(objects.back());
            objects.pop_back();
            continue;
        }
        const Known& kind = known[random() % known.size()];
        char* object = allocate(kind.shape, kind.client);
        ASSERT_TRUE(living.insert(object).second);
        const auto in_pool = reinterpret_cast<uintptr_t>(object) & (kind.shape.pool_bytes - 1);
        ASSERT_EQ(in_pool % kind.shape.first_bytes, 0U);
        ASSERT_LT(in_pool / kind.shape.first_bytes, kind.shape.objects());
        objects.push_back(object);
    }
}

TEST_F(SplitPoolsTest, ShapesThatCannotBeAreRefused) {
    for (const SplitShape shape : {SplitShape{0, 16, 4096}, SplitShape{16, 8, 4096}, SplitShape{8, 16, 5000},
                                   SplitShape{8, 8192, 4096}, SplitShape{8, 16, 1 << 21}}) {
        EXPECT_EQ(split_->add(pools_.heap, shape), heaps::PoolHeap::none);
    }
}

TEST_F(SplitPoolsTest, WhatBeginsNoObjectIsMisuse) {
    const SplitShape shape = {8, 24, 1 << 14};
    const uint32_t client = split_->add(pools_.heap, shape);
    char* object = allocate(shape, client);
    EXPECT_DEATH(release(object + 4), "no object begins");
    EXPECT_DEATH(release(object + 8 * shape.objects()), "no object begins");
    release(object);
    EXPECT_DEATH(release(object), "freed before");
}

TEST_F(SplitPoolsTest, PagesOfAPoolGoBackTogether) {
    const SplitShape shape = {8, 64, 1 << 20};
    const uint32_t client = split_->add(pools_.heap, shape);
    std::vector<char*> objects(64 * shape.objects());
    std::ranges::generate(objects, [&] { return allocate(shape, client); });
    // The last pool's other arrays, which the heap knows nothing of.
    char* last = objects.back();
    char* pool =
        reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(last) & ~uintptr_t{shape.pool_bytes - 1});
    memset(pool + (1 << 19), 7, 1 << 19);
    for (char* object : objects) {
        if (object != last) {
            release(object);
        }
    }
    EXPECT_TRUE(std::all_of(pool + (1 << 19), pool + (1 << 20), [](char byte) { return byte == 7; }));
    EXPECT_LE(pools_.heap.arena().idle_bytes(), pools_.heap.arena().most_idle());
    release(last);
}

#if defined(MALLOOM_CHECKED)
// A seeded fault.
TEST_F(SplitPoolsTest, AShapeThatItsPoolHasNoRoomForIsAFault) {
    const SplitShape shape = {8, 64, 1 << 16};
    const uint32_t client = split_->add(pools_.heap, shape);
    char* object = allocate(shape, client);
    const heaps::Pool& pool = *pools_.heap.arena().find(object);
    EXPECT_DEATH(
        {
            const_cast<SplitShape&>(split_->shape_of(pool)).object_bytes = 128;
            release(object);
        },
        "malloom: fault of malloom's own: split_pools.cpp:.*is_valid.pool");
}
#endif

}  // namespace
}  // namespace malloom::tests
