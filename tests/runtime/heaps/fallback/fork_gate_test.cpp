// The gate that holds forks back while a thread is inside, and threads outside while one forks: nobody waits
// for good.
#include "runtime/heaps/fallback/fork_gate.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace malloom::tests {
namespace {

using std::chrono::steady_clock;

// About a second is what either side waits; machines are busy.
constexpr std::chrono::seconds most_wait{10};

std::atomic<bool> has_entered, may_leave, handler_waits;

void stay_inside() {
    malloom_fork_gate_enter();
    has_entered = true;
    while (!may_leave) {
        std::this_thread::yield();
    }
    malloom_fork_gate_leave();
}

// In a handler of the fork: for a thread that comes to the gate meanwhile.
void wait_for_entry() {
    while (handler_waits && !has_entered) {
        std::this_thread::yield();
    }
}

// Of a child that passes the gate itself.
int status_of_fork() {
    const pid_t child = fork();
    if (child == 0) {
        malloom_fork_gate_enter();
        malloom_fork_gate_leave();
        // Not by _exit, where ThreadSanitizer looks for threads that were never joined: those of the parent.
        syscall(SYS_exit_group, 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

class ForkGate : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        // Before the gate's own handlers, so that a fork calls it behind them.
        pthread_atfork(wait_for_entry, nullptr, nullptr);
        malloom_fork_gate_open();
    }
    void SetUp() override { has_entered = may_leave = handler_waits = false; }
    void TearDown() override { EXPECT_LT(steady_clock::now() - began_, most_wait); }

  private:
    steady_clock::time_point began_ = steady_clock::now();
};

TEST_F(ForkGate, AForkWaitsUntilWhoIsInsideHasLeft) {
    std::thread inside(stay_inside);
    while (!has_entered) {
        std::this_thread::yield();
    }
    std::thread leaves([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        may_leave = true;
    });
    EXPECT_EQ(status_of_fork(), 0);
    EXPECT_TRUE(may_leave);
    leaves.join();
    inside.join();
}

TEST_F(ForkGate, AForkGoesOnThoughAThreadStaysInside) {
    std::thread inside(stay_inside);
    while (!has_entered) {
        std::this_thread::yield();
    }
    EXPECT_EQ(status_of_fork(), 0);
    may_leave = true;
    inside.join();
}

TEST_F(ForkGate, AThreadGoesOnThoughAHandlerOfTheForkWaitsForIt) {
    handler_waits = true;
    may_leave = true;
    std::thread inside([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stay_inside();
    });
    EXPECT_EQ(status_of_fork(), 0);
    EXPECT_TRUE(has_entered);
    inside.join();
}

TEST_F(ForkGate, WhoForksPassesIt) {
    malloom_fork_gate_enter();
    EXPECT_EQ(status_of_fork(), 0);
    malloom_fork_gate_leave();
}

}  // namespace
}  // namespace malloom::tests
