// The page heap with an instance a thread. What instances and their threads mean to each other is the same
// for all such heaps (thread_bins_test.cpp); here is what pages do with it.
#include "runtime/heaps/pages/adapter/thread_pages.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "runtime/platform/memory.h"
#include "tests/amount.h"

namespace malloom::tests {
namespace {

using heaps::OwnedPages;
using heaps::ThreadPages;

class ThreadPagesTest : public testing::Test {
  protected:
    static constexpr size_t region_bytes = size_t{256} << 20;

    ThreadPagesTest() : region_(platform::reserve_addresses(region_bytes, platform::page_bytes())) {
        EXPECT_TRUE(heap.open(region_, region_bytes));
        self = heap.join();
        EXPECT_NE(self, nullptr);
    }
    ~ThreadPagesTest() override { platform::unmap_pages(region_, region_bytes); }

    void* allocate(size_t bytes) { return heap.allocate(*self, {bytes, 0}); }
    std::vector<void*> allocate_many(OwnedPages& from, size_t count, size_t bytes) {
        std::vector<void*> objects;
        for (size_t i = 0; i < count; ++i) {
            objects.push_back(heap.allocate(from, {bytes, 0}));
            EXPECT_NE(objects.back(), nullptr);
        }
        return objects;
    }
    void release_all(OwnedPages& by, const std::vector<void*>& objects) {
        for (void* object : objects) {
            heap.release(by, object);
        }
    }

  private:
    void* region_;

  protected:
    ThreadPages heap;
    OwnedPages* self;
};

TEST_F(ThreadPagesTest, TheOwnersNextCallTakesWhatOthersFreed) {
    OwnedPages& other = *heap.join();
    const auto objects = allocate_many(*self, 100, 40);
    std::thread([&] { release_all(other, objects); }).join();
    EXPECT_TRUE(self->has_deferred());
    allocate(40);
    EXPECT_FALSE(self->has_deferred());
    EXPECT_EQ(heap.counts().freed_by_others, 100u);
    EXPECT_TRUE(self->pages.is_valid());
}

TEST_F(ThreadPagesTest, EmptyRegionsOfEndedThreadsGoBack) {
    OwnedPages& other = *heap.join();
    const auto objects = allocate_many(other, 5000, 1000);
    const auto large = allocate_many(other, 20, size_t{100} << 10);
    heap.leave(other);
    EXPECT_GT(heap.counts().regions, 1u);
    release_all(*self, objects);
    release_all(*self, large);
    EXPECT_EQ(heap.counts().regions, 0u);
    EXPECT_EQ(heap.join(), &other) << "it is taken over";
    EXPECT_NE(heap.allocate(other, {16, 0}), nullptr);
}

TEST_F(ThreadPagesTest, WhoInterruptsAnInstanceDoesNotGoIn) {
    void* object = allocate(100);
    self->is_busy = true;
    EXPECT_EQ(allocate(100), nullptr);
    EXPECT_TRUE(heap.resize(*self, object, {90, 0}));
    heap.release(*self, object);
    EXPECT_TRUE(self->has_deferred());
    self->is_busy = false;
    EXPECT_EQ(allocate(100), object);
}

TEST_F(ThreadPagesTest, AChildOfAForkLeavesOthersInstancesAlone) {
    OwnedPages& other = *heap.join();
    void* mine = allocate(100);
    void* others = heap.allocate(other, {100, 0});
    heap.before_fork();
    const pid_t child = fork();
    if (child != 0) {
        heap.after_fork();
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
        heap.release(*self, others);
        EXPECT_TRUE(other.has_deferred());
        return;
    }
    heap.after_fork_in_child(self);
    heap.release(*self, mine);
    heap.release(*self, others);
    const bool is_right = !other.has_deferred() && heap.usable_size(others) >= 100 &&
                          heap.allocate(*self, {100, 0}) == mine && self->pages.is_valid();
    _exit(is_right ? 7 : 8);
}

TEST_F(ThreadPagesTest, ThreadsThatComeAndGoFreeWhatTheyGotFromEachOther) {
    std::vector<std::atomic<void*>> mailbox(64);
    for (int round = 0; round < 3; ++round) {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                OwnedPages& own = *heap.join();
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
    EXPECT_EQ(heap.counts().regions, 0u);
}

using ThreadPagesDeathTest = ThreadPagesTest;

TEST_F(ThreadPagesDeathTest, WhatIsNoObjectIsRefused) {
    auto* object = static_cast<char*>(allocate(100));
    EXPECT_DEATH(heap.release(*self, object + 16), "where no object begins");
    EXPECT_DEATH(heap.resize(*self, object + 16, {50, 0}), "where no object begins");
    EXPECT_DEATH(heap.release(*self, object + (size_t{128} << 20)), "where no object begins") << "no region";
    EXPECT_DEATH(heap.release(*self, object - (size_t{1} << 20)), "where no object begins") << "the tables";
    heap.release(*self, object);
    EXPECT_DEATH(heap.release(*self, object), "freed before");
}

TEST_F(ThreadPagesDeathTest, FreeingTwiceByAnotherThreadIsNoticedByTheOwner) {
    OwnedPages& other = *heap.join();
    void* object = allocate(100);
    heap.release(other, object);
    heap.release(other, object);
    EXPECT_DEATH(allocate(100), "freed before");
}

}  // namespace
}  // namespace malloom::tests
