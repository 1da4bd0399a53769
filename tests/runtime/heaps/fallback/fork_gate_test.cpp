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

#include "tests/runtime/forking_handler.h"

namespace malloom::tests {
namespace {

using std::chrono::steady_clock;

// About a second is what either side waits; machines are busy.
constexpr std::chrono::seconds most_wait{10};

std::atomic<bool> has_entered, may_leave, handler_waits, handler_looks, was_closed;

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

// In the last handler before the gate's, once a fork within the fork is done: lets a thread come to the gate,
// and looks whether it gets through.
void look_whether_closed() {
    if (handler_has_forked() && handler_looks.exchange(false)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        was_closed = !has_entered;
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

// Before the gate's own handlers, so that a fork calls it behind them: other suites open the gate, too.
[[maybe_unused]] const int handlers_are_first = pthread_atfork(wait_for_entry, look_whether_closed, nullptr);

class ForkGate : public testing::Test {
  protected:
    static void SetUpTestSuite() { malloom_fork_gate_open(); }
    void SetUp() override { has_entered = may_leave = handler_waits = handler_looks = was_closed = false; }
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

// A fork within a fork passes the gate at once, and leaves it closed for the first.
TEST_F(ForkGate, ASignalHandlerMayForkWithinAFork) {
    const auto passes = [] {
        malloom_fork_gate_enter();
        malloom_fork_gate_leave();
        return true;
    };
    const auto began = steady_clock::now();
    EXPECT_TRUE(are_well_after_fork_within_fork(HandlerComes::before_the_child, passes));
    EXPECT_TRUE(are_well_after_fork_within_fork(HandlerComes::after_the_child, passes));
    EXPECT_LT(steady_clock::now() - began, std::chrono::milliseconds(900)) << "nobody had to wait";
    std::thread(passes).join();
}

TEST_F(ForkGate, AForkWithinAForkLeavesItClosed) {
    may_leave = true;
    handler_looks = true;
    std::thread comes([] {
        while (handler_looks) {
            std::this_thread::yield();
        }
        stay_inside();
    });
    EXPECT_TRUE(are_well_after_fork_within_fork(HandlerComes::after_the_child, [] { return true; }));
    EXPECT_TRUE(was_closed);
    comes.join();
}

}  // namespace
}  // namespace malloom::tests
