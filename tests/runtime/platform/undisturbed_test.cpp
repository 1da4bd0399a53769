#include "runtime/platform/undisturbed.h"
#include "runtime/platform/system_calls.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace {

using malloom::platform::Undisturbed;

std::atomic<int> handled;

void count(int) {
    ++handled;
}

TEST(Undisturbed, HandlersRunAfterwards) {
    signal(SIGUSR1, count);
    handled = 0;
    {
        const Undisturbed outer;
        {
            const Undisturbed inner;
        }
        raise(SIGUSR1);
        EXPECT_EQ(handled, 0);
    }
    EXPECT_EQ(handled, 1);
}

TEST(Undisturbed, OwnFaultsAreHandledAtOnce) {
    signal(SIGSEGV, count);
    handled = 0;
    {
        const Undisturbed undisturbed;
        raise(SIGSEGV);
        EXPECT_EQ(handled, 1);
    }
    signal(SIGSEGV, SIG_DFL);
}

TEST(Undisturbed, LeavesMaskAndErrorAsTheyWere) {
    sigset_t chosen;
    sigset_t now;
    sigemptyset(&chosen);
    sigaddset(&chosen, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &chosen, nullptr);
    errno = 77;
    {
        const Undisturbed undisturbed;
    }
    EXPECT_EQ(errno, 77);
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    EXPECT_EQ(sigismember(&now, SIGUSR2), 1);
    EXPECT_EQ(sigismember(&now, SIGUSR1), 0);
    sigemptyset(&chosen);
    pthread_sigmask(SIG_SETMASK, &chosen, nullptr);
}

std::atomic<bool> cancelled;
std::atomic<bool> came_out;

void* write_when_cancelled(void*) {
    {
        const Undisturbed undisturbed;
        while (!cancelled) malloom::platform::wait_for_others(1);
        [[maybe_unused]] const ssize_t written = write(-1, "", 1);
        pthread_testcancel();
        came_out = true;
    }
    pthread_testcancel();
    return nullptr;
}

TEST(Undisturbed, CancellationWaits) {
    pthread_t thread;
    void* result = nullptr;
    ASSERT_EQ(pthread_create(&thread, nullptr, write_when_cancelled, nullptr), 0);
    ASSERT_EQ(pthread_cancel(thread), 0);
    cancelled = true;
    ASSERT_EQ(pthread_join(thread, &result), 0);
    EXPECT_TRUE(came_out);
    EXPECT_EQ(result, PTHREAD_CANCELED);
}

}  // namespace
