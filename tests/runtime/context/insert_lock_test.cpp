#include "runtime/context/insert_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {

using malloom::context::InsertLock;

InsertLock shared_lock;
std::atomic<int> acquired;

void acquire_shared(int) {
    acquired = shared_lock.acquire() ? 1 : -1;
    if (acquired == 1) shared_lock.release();
}

// Else it would wait for the thread that it interrupted, or keep others waiting for as long as it runs.
TEST(InsertLock, HandlersComeAfterItsRelease) {
    signal(SIGUSR1, acquire_shared);
    acquired = 0;
    ASSERT_TRUE(shared_lock.acquire());
    raise(SIGUSR1);
    EXPECT_EQ(acquired, 0);
    shared_lock.release();
    EXPECT_EQ(acquired, 1);
}

TEST(InsertLock, TheHandlerOfAnOwnFaultIsToldNo) {
    signal(SIGSEGV, acquire_shared);
    acquired = 0;
    ASSERT_TRUE(shared_lock.acquire());
    raise(SIGSEGV);
    EXPECT_EQ(acquired, -1);
    shared_lock.release();
    signal(SIGSEGV, SIG_DFL);
}

TEST(InsertLock, AChildOvertakesAnOwnerThatItDoesNotHave) {
    InsertLock lock;
    std::atomic<bool> has_it = false;
    std::atomic<bool> is_over = false;
    std::thread owner([&] {
        has_it = lock.acquire();
        while (!is_over) std::this_thread::yield();
        lock.release();
    });
    while (!has_it) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) _exit(lock.acquire() ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    is_over = true;
    owner.join();
}

}  // namespace
