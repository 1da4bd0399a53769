// A child that is stopped, stepped and let go.
#include "record/stepping/traced_thread.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace malloom::tests {
namespace {

using stepping::Stop;
using stepping::TracedThread;

class Traced : public testing::Test {
  protected:
    void SetUp() override {
        shared = static_cast<volatile uint64_t*>(
            mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
        ASSERT_NE(shared, MAP_FAILED);
    }
    void TearDown() override {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        munmap(const_cast<uint64_t*>(shared), 4096);
    }
    // Counts, once `prepare` has run in it, until it is killed.
    void start(void (*prepare)()) {
        child = fork();
        if (child == 0) {
            prepare();
            for (;;) {
                shared[0] = shared[0] + 1;
            }
        }
        while (shared[0] == 0) {
        }
    }
    bool goes_on() {
        const uint64_t before = shared[0];
        for (int i = 0; i < 1000 && shared[0] == before; ++i) {
            usleep(1000);
        }
        return shared[0] != before;
    }

    pid_t child = 0;
    volatile uint64_t* shared = nullptr;
};

TEST_F(Traced, WhatDoesNotStopInTimeIsLetGoOnceItDoes) {
    child = fork();
    if (child == 0) {
        // It stops for nobody while its child has its memory.
        const pid_t inner = vfork();
        if (inner == 0) {
            shared[1] = static_cast<uint64_t>(getpid());
            for (;;) {
                pause();
            }
        }
        for (;;) {
            shared[0] = shared[0] + 1;
        }
    }
    while (shared[1] == 0) {
        usleep(1000);
    }
    EXPECT_FALSE(TracedThread(child).attach());
    kill(static_cast<pid_t>(shared[1]), SIGKILL);
    EXPECT_FALSE(goes_on()) << "it has stopped since";
    stepping::let_late_ones_go();
    EXPECT_TRUE(goes_on());
    EXPECT_TRUE(TracedThread(child).attach());
}

TEST_F(Traced, StandsStillButForSteps) {
    start([] {});
    {
        TracedThread thread(child);
        ASSERT_TRUE(thread.attach() && thread.may_be_stepped());
        user_regs_struct before{}, after{};
        ASSERT_TRUE(thread.registers(before));
        const uint64_t count = shared[0];
        usleep(2000);
        EXPECT_EQ(shared[0], count);
        for (int i = 0; i < 100; ++i) {
            ASSERT_EQ(thread.step(), Stop::stepped);
        }
        ASSERT_TRUE(thread.registers(after));
        EXPECT_GT(shared[0], count);
        EXPECT_LT(shared[0], count + 100);
        uint64_t seen = 0;
        EXPECT_EQ(stepping::read_memory(child, reinterpret_cast<uintptr_t>(shared), &seen, sizeof seen),
                  sizeof seen);
        EXPECT_EQ(seen, shared[0]);
    }
    EXPECT_TRUE(goes_on());
}

TEST_F(Traced, ASignalThatComesIsTheProgramsOwn) {
    start([] { signal(SIGUSR1, [](int) { _exit(3); }); });
    {
        TracedThread thread(child);
        ASSERT_TRUE(thread.attach() && thread.may_be_stepped());
        kill(child, SIGUSR1);
        Stop last = Stop::stepped;
        for (int i = 0; i < 100 && last == Stop::stepped; ++i) {
            last = thread.step();
        }
        EXPECT_EQ(last, Stop::elsewhere);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

TEST_F(Traced, WhatItBlocksItBlocksAgain) {
    start([] {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, nullptr);
    });
    {
        TracedThread thread(child);
        ASSERT_TRUE(thread.attach() && thread.may_be_stepped());
        for (int i = 0; i < 50; ++i) {
            ASSERT_EQ(thread.step(), Stop::stepped);
        }
    }
    kill(child, SIGTRAP);
    usleep(20000);
    EXPECT_TRUE(goes_on());
}

TEST_F(Traced, OneThatIgnoresTrapsIsNotStepped) {
    start([] { signal(SIGTRAP, SIG_IGN); });
    {
        TracedThread thread(child);
        EXPECT_TRUE(thread.attach());
        EXPECT_FALSE(thread.may_be_stepped());
    }
    EXPECT_TRUE(goes_on());
}

TEST_F(Traced, OneWhoseProcessIsStoppedStaysSo) {
    start([] {});
    kill(child, SIGSTOP);
    waitpid(child, nullptr, WUNTRACED);
    const uint64_t count = shared[0];
    {
        TracedThread thread(child);
        EXPECT_FALSE(thread.attach());
    }
    usleep(2000);
    EXPECT_EQ(shared[0], count);
    kill(child, SIGCONT);
    EXPECT_TRUE(goes_on());
}

// Whoever traces is not the parent, as usual.
TEST_F(Traced, OneThatIsKilledIsWaitedFor) {
    start([] {});
    const pid_t tracer = fork();
    if (tracer == 0) {
        bool is_stopped = false;
        {
            TracedThread thread(child);
            is_stopped = thread.attach();
            kill(child, SIGKILL);
            usleep(20000);
        }
        const bool is_none_left = waitpid(-1, nullptr, __WALL | WNOHANG) < 0 && errno == ECHILD;
        _exit(is_stopped && is_none_left ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(tracer, &status, 0), tracer);
    EXPECT_EQ(status, 0);
}

TEST_F(Traced, NobodyIsNotStopped) {
    start([] {});
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    TracedThread thread(child);
    EXPECT_FALSE(thread.attach());
    EXPECT_EQ(errno, ESRCH);
}

}  // namespace
}  // namespace malloom::tests
