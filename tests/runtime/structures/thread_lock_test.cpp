#include "runtime/structures/thread_lock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace malloom::tests {
namespace {

using structures::ForkLock;
using structures::Locked;
using structures::ThreadLock;

TEST(ThreadLock, OneThreadAtATime) {
    ThreadLock lock;
    int count = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int j = 0; j < 20000; ++j) {
                const Locked locked(lock);
                ++count;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(count, 80000);
}

TEST(ThreadLock, KnowsItsHolder) {
    ThreadLock lock;
    EXPECT_FALSE(lock.is_mine());
    lock.lock();
    EXPECT_TRUE(lock.is_mine());
    std::thread([&] { EXPECT_FALSE(lock.is_mine()); }).join();
    lock.unlock();
    EXPECT_FALSE(lock.is_mine());
}

TEST(ForkLock, ForksWithinAForkLeaveItHeld) {
    ForkLock lock;
    lock.hold_for_fork();
    lock.hold_for_fork();
    lock.end_fork();
    EXPECT_TRUE(lock.is_mine());
    EXPECT_TRUE(lock.is_held_for_fork());
    lock.end_fork();
    EXPECT_FALSE(lock.is_mine());
    EXPECT_FALSE(lock.is_held_for_fork());
}

TEST(ForkLock, AForkLeavesHeldWhatItInterrupted) {
    ForkLock lock;
    lock.lock();
    lock.hold_for_fork();
    EXPECT_FALSE(lock.is_held_for_fork());
    lock.end_fork();
    EXPECT_TRUE(lock.is_mine());
    lock.unlock();
}

}  // namespace
}  // namespace malloom::tests
