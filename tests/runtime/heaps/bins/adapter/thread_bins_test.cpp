// An instance a thread: who frees what, what becomes of instances whose threads end, and of empty regions.
// What the heap promises as one of many is HeapConformance.
#include "runtime/heaps/bins/adapter/thread_bins.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "runtime/platform/memory.h"
#include "tests/amount.h"

namespace malloom::tests {
namespace {

using heaps::OwnedBins;
using heaps::ThreadBins;

class ThreadBinsTest : public testing::Test {
  protected:
    static constexpr size_t region_bytes = size_t{256} << 20;

    ThreadBinsTest() : region_(platform::reserve_addresses(region_bytes, platform::page_bytes())) {
        EXPECT_TRUE(heap.open(region_, region_bytes));
        self = heap.join();
        EXPECT_NE(self, nullptr);
    }
    ~ThreadBinsTest() override { platform::unmap_pages(region_, region_bytes); }

    void* allocate(size_t bytes) { return heap.allocate(*self, {bytes, 0}); }
    std::vector<void*> allocate_many(OwnedBins& from, size_t count, size_t bytes) {
        std::vector<void*> objects;
        for (size_t i = 0; i < count; ++i) {
            objects.push_back(heap.allocate(from, {bytes, 0}));
            EXPECT_NE(objects.back(), nullptr);
        }
        return objects;
    }
    void release_all(OwnedBins& by, const std::vector<void*>& objects) {
        for (void* object : objects) {
            heap.release(by, object);
        }
    }
    /// Each instance is whole, and has so many objects.
    static void expect_living(const OwnedBins& instance, size_t objects) {
        EXPECT_EQ(malloom_bins_check(&instance.bins), MALLOOM_BINS_OK);
        malloom_bins_statistics statistics;
        malloom_bins_statistics_of(&instance.bins, &statistics);
        EXPECT_EQ(statistics.living_objects, objects);
    }

  private:
    void* region_;

  protected:
    ThreadBins heap;
    OwnedBins* self;
};

TEST_F(ThreadBinsTest, TheOwnerHasWhatOthersFreeByItsNextCalls) {
    OwnedBins& other = *heap.join();
    const auto objects = allocate_many(*self, 100, 40);
    std::thread([&] { release_all(other, objects); }).join();
    expect_living(*self, 100);
    expect_living(other, 0);
    for (int call = 0; call < 100; ++call) {
        heap.release(*self, allocate(40));
    }
    expect_living(*self, 0);
    EXPECT_EQ(heap.counts().freed_by_others, 100u);
}

TEST_F(ThreadBinsTest, WhatOthersFreedServesBeforeTheHeapGrows) {
    OwnedBins& other = *heap.join();
    for (int round = 0; round < 20; ++round) {
        release_all(other, allocate_many(*self, 800, 1000));
    }
    EXPECT_LE(heap.counts().most_bytes, size_t{2} << 20);
}

TEST_F(ThreadBinsTest, ABeginningThreadTakesOverAnInstance) {
    OwnedBins& other = *heap.join();
    const auto objects = allocate_many(other, 10, 40);
    heap.leave(other);
    OwnedBins& next = *heap.join();
    EXPECT_EQ(&next, &other);
    expect_living(next, 10);
    release_all(next, objects);
    expect_living(next, 0);
    EXPECT_EQ(heap.counts().instances, 2u);
}

TEST_F(ThreadBinsTest, WhatAnEndedThreadLeftIsFreedAtOnce) {
    OwnedBins& other = *heap.join();
    const auto objects = allocate_many(other, 5000, 1000);
    heap.leave(other);
    EXPECT_GT(heap.counts().regions, 1u);
    release_all(*self, objects);
    expect_living(other, 0);
    EXPECT_EQ(heap.counts().regions, 0u);
}

TEST_F(ThreadBinsTest, WhatWasToBeFreedLaterIsFreedWhenTheThreadEnds) {
    OwnedBins& other = *heap.join();
    release_all(*self, allocate_many(other, 3000, 1000));
    heap.leave(other);
    expect_living(other, 0);
    EXPECT_EQ(heap.counts().regions, 0u);
}

TEST_F(ThreadBinsTest, EmptyRegionsGoBackButForOne) {
    const auto objects = allocate_many(*self, 20000, 1000);
    EXPECT_GT(heap.counts().regions, 3u);
    EXPECT_GE(heap.counts().most_bytes, 20000u * 1000);
    release_all(*self, objects);
    EXPECT_EQ(heap.counts().regions, 1u);
    allocate_many(*self, 20000, 1000);
    expect_living(*self, 20000);
}

TEST_F(ThreadBinsTest, RegionsAreFewHoweverLargeTheHeap) {
    allocate_many(*self, 1600, size_t{100} << 10);
    EXPECT_LE(heap.counts().regions, 12u);
    EXPECT_GE(heap.counts().most_bytes, size_t{160} << 20);
}

TEST_F(ThreadBinsTest, AFullRangeServesToItsLastUnit) {
    size_t bytes = 0;
    std::vector<void*> objects;
    while (void* object = allocate(size_t{200} << 10)) {
        objects.push_back(object);
        bytes += size_t{200} << 10;
    }
    EXPECT_GT(bytes, region_bytes / 10 * 9);
    EXPECT_EQ(heap.allocate(*heap.join(), {16, 0}), nullptr) << "a new instance has no region";
    release_all(*self, objects);
    EXPECT_NE(allocate(16), nullptr);
}

TEST_F(ThreadBinsTest, WhatIsLargeIsLeftToOthers) {
    EXPECT_NE(allocate(ThreadBins::largest_bytes), nullptr);
    EXPECT_EQ(allocate(ThreadBins::largest_bytes + 1), nullptr);
    void* aligned = heap.allocate(*self, {ThreadBins::largest_bytes, ThreadBins::largest_alignment});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % ThreadBins::largest_alignment, 0u);
    EXPECT_NE(aligned, nullptr);
    EXPECT_EQ(heap.allocate(*self, {16, 2 * ThreadBins::largest_alignment}), nullptr);
}

TEST_F(ThreadBinsTest, WhoInterruptsAnInstanceDoesNotGoIn) {
    void* object = allocate(100);
    self->is_busy = true;
    EXPECT_EQ(allocate(100), nullptr);
    EXPECT_TRUE(heap.resize(*self, object, {90, 0}));
    EXPECT_FALSE(heap.resize(*self, object, {200, 0})) << "there is room behind it";
    heap.release(*self, object);
    expect_living(*self, 1);
    EXPECT_TRUE(self->is_busy);
    self->is_busy = false;
    EXPECT_NE(allocate(100), nullptr);
    expect_living(*self, 1);
    EXPECT_EQ(heap.counts().freed_by_others, 0u);
}

TEST_F(ThreadBinsTest, ObjectsGrowWhereTheyAreIfTheyAreTheirOwners) {
    OwnedBins& other = *heap.join();
    void* object = allocate(100);
    EXPECT_FALSE(heap.resize(other, object, {200, 0}));
    EXPECT_TRUE(heap.resize(*self, object, {200, 0}));
    EXPECT_GE(heap.usable_size(object), 200u);
    EXPECT_TRUE(heap.resize(other, object, {150, 0}));
    EXPECT_GE(heap.usable_size(object), 200u) << "another thread takes nothing of it";
    EXPECT_TRUE(heap.resize(*self, object, {10, 0}));
    EXPECT_LT(heap.usable_size(object), 64u);
    expect_living(*self, 1);
}

TEST_F(ThreadBinsTest, ThereAreNotMoreInstancesThanThereIsRoomFor) {
    std::vector<OwnedBins*> all;
    while (OwnedBins* next = heap.join()) {
        all.push_back(next);
        ASSERT_LE(all.size(), 1u << 16);
    }
    EXPECT_GE(all.size(), 1000u);
    heap.leave(*all.back());
    EXPECT_EQ(heap.join(), all.back());
}

TEST_F(ThreadBinsTest, AChildOfAForkLeavesOthersInstancesAlone) {
    OwnedBins& other = *heap.join();
    OwnedBins& ended = *heap.join();
    void* mine = allocate(100);
    void* others = heap.allocate(other, {100, 0});
    void* left = heap.allocate(ended, {100, 0});
    heap.leave(ended);
    heap.before_fork();
    const pid_t child = fork();
    if (child != 0) {
        heap.after_fork();
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
        heap.release(*self, others);
        EXPECT_EQ(structures::load(other.bins.deferred), reinterpret_cast<uintptr_t>(others));
        return;
    }
    heap.after_fork_in_child(self);
    heap.release(*self, mine);
    heap.release(*self, others);
    heap.release(*self, left);
    const bool is_right = other.bins.deferred == 0 && heap.usable_size(others) >= 100 &&
                          heap.join() == &ended && malloom_bins_check(&self->bins) == MALLOOM_BINS_OK &&
                          malloom_bins_check(&ended.bins) == MALLOOM_BINS_OK;
    _exit(is_right ? 7 : 8);
}

TEST_F(ThreadBinsTest, ThreadsThatComeAndGoFreeWhatTheyGotFromEachOther) {
    std::vector<std::atomic<void*>> mailbox(64);
    for (int round = 0; round < 3; ++round) {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                OwnedBins& own = *heap.join();
                std::mt19937 random(i);
                for (int step = 0; step < amount(6000); ++step) {
                    void* object = heap.allocate(own, {random() % 3000, 0});
                    ASSERT_NE(object, nullptr);
                    if (void* other = mailbox[random() % mailbox.size()].exchange(object)) {
                        heap.release(own, other);
                    }
                }
                heap.leave(own);
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
    }
    for (auto& object : mailbox) {
        if (void* last = object.exchange(nullptr)) {
            heap.release(*self, last);
        }
    }
    EXPECT_LE(heap.counts().instances, 5u);
    for (int i = 0; i < 4; ++i) {
        expect_living(*heap.join(), 0);
    }
    EXPECT_EQ(heap.counts().regions, 0u);
}

TEST(ThreadBinsOpening, RefusesWhatIsTooShort) {
    constexpr size_t bytes = size_t{1} << 20;
    void* region = platform::reserve_addresses(bytes, platform::page_bytes());
    ThreadBins heap;
    EXPECT_FALSE(heap.open(region, bytes));
    EXPECT_FALSE(heap.is_open());
    EXPECT_FALSE(heap.owns(region));
    platform::unmap_pages(region, bytes);
}

using ThreadBinsDeathTest = ThreadBinsTest;

TEST_F(ThreadBinsDeathTest, WhatIsNoObjectIsRefused) {
    auto* object = static_cast<char*>(allocate(100));
    memset(object, 0, 100);
    EXPECT_DEATH(heap.release(*self, object + 16), "where no object begins");
    EXPECT_DEATH(heap.release(*self, object + 8), "where no object begins");
    EXPECT_DEATH(heap.release(*self, object + (size_t{128} << 20)), "where no object begins") << "no region";
    EXPECT_DEATH(heap.release(*self, object - (size_t{1} << 20)), "where no object begins") << "the tables";
}

TEST_F(ThreadBinsDeathTest, FreeingTwiceIsRefused) {
    const auto objects = allocate_many(*self, 10, 100);
    for (const int i : {2, 3, 1, 9}) {
        heap.release(*self, objects[i]);
    }
    for (const int i : {1, 2, 3, 9}) {
        EXPECT_DEATH(heap.release(*self, objects[i]), "freed before") << i;
    }
}

TEST_F(ThreadBinsDeathTest, FreeingTwiceByAnotherThreadIsNoticedByTheOwner) {
    OwnedBins& other = *heap.join();
    void* object = allocate(100);
    heap.release(other, object);
    heap.release(other, object);
    // Its memory is used again before its turn comes the second time, so what is noticed varies.
    EXPECT_DEATH(allocate_many(*self, 3, 100), "malloom: free of an");
}

}  // namespace
}  // namespace malloom::tests
