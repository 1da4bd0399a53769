// An arena whose addresses are all in use: what is free in it serves any request, whatever it was before.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "runtime/platform/memory.h"
#include "tests/runtime/heaps/pools/pools_here.h"

namespace malloom::tests {
namespace {

constexpr size_t arena_bytes = size_t{16} << 20;

class FullArena : public testing::Test {
  protected:
    /// All that a client gets.
    std::vector<char*> fill(uint32_t client) {
        std::vector<char*> objects;
        while (char* object = pools.allocate(client)) {
            objects.push_back(object);
        }
        return objects;
    }
    size_t bytes_of(const std::vector<char*>& objects) const {
        return objects.empty() ? 0 : objects.size() * pools.heap.usable_size(objects.front());
    }
    void free_all(std::vector<char*>& objects) {
        for (char* object : objects) {
            pools.deallocate(object);
        }
        objects.clear();
    }

    PoolsHere pools{arena_bytes};
};

TEST_F(FullArena, NearlyAllOfItIsObjects) {
    std::vector<char*> objects = fill(pools.heap.add(48));
    EXPECT_GE(bytes_of(objects), arena_bytes / 100 * 98);
    free_all(objects);
}

TEST_F(FullArena, LargePoolsThatWentBackAreDividedForSmallOnes) {
    std::vector<char*> objects = fill(pools.heap.add(48));
    free_all(objects);
    for (size_t bytes = 16; bytes <= 8'000; bytes += 80) {
        char* object = pools.allocate(pools.heap.add(bytes));
        ASSERT_NE(object, nullptr) << bytes;
        memset(object, 1, bytes);
        objects.push_back(object);
    }
    free_all(objects);
}

TEST_F(FullArena, IdlePagesOfDividedRangesAreCountedOnce) {
    std::vector<char*> objects = fill(pools.heap.add(48));
    free_all(objects);
    objects = {pools.allocate(pools.heap.add(100))};
    pools.heap.arena().trim();
    const size_t before = pools.heap.arena().idle_bytes();
    const heaps::PoolArena& arena = pools.heap.arena();
    size_t counted = 0;
    for (size_t i = 0; i < arena.pools_count(); ++i) {
        counted += arena.pools()[i].idle_pages * platform::page_bytes();
    }
    EXPECT_LE(counted, before);
    pools.heap.lock().hold_for_fork();
    pools.heap.arena().recount_all();
    pools.heap.lock().end_fork();
    EXPECT_EQ(pools.heap.arena().idle_bytes(), before) << "as the pages say";
    free_all(objects);
}

}  // namespace
}  // namespace malloom::tests
