// The malloc family with threads, forks and signal handlers.
#include <gtest/gtest.h>
#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "tests/runtime/front/malloc_conformance/opaque.h"

namespace malloom::tests {
namespace {

// A random program over objects that threads hand each other; false where one was touched by another's owner.
// The first bytes of an object say how long it is.
bool exchange_objects(std::vector<std::atomic<size_t*>>& mailbox, unsigned seed, int steps) {
    std::mt19937 random(seed);
    for (int step = 0; step < steps; ++step) {
        const size_t words = 1 + random() % 60;
        auto* object = static_cast<size_t*>(malloc(words * sizeof(size_t)));
        for (size_t i = 0; i < words; ++i) {
            object[i] = words;
        }
        size_t* other = mailbox[random() % mailbox.size()].exchange(object);
        for (size_t i = 0; other != nullptr && i < other[0]; ++i) {
            if (other[i] != other[0]) {
                return false;
            }
        }
        free(other);
    }
    return true;
}

void empty(std::vector<std::atomic<size_t*>>& mailbox) {
    for (auto& object : mailbox) {
        free(object.exchange(nullptr));
    }
}

TEST(MallocConformance, ThreadsFreeWhatOthersGot) {
    std::vector<std::atomic<size_t*>> mailbox(64);
    std::atomic<int> right = 0;
    // More threads than ever run at a time: those that come later take over what earlier ones left.
    for (int round = 0; round < 4; ++round) {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < 6; ++i) {
            threads.emplace_back([&, i] { right += exchange_objects(mailbox, i, 2500) ? 1 : 0; });
        }
        for (auto& thread : threads) {
            thread.join();
        }
    }
    EXPECT_EQ(right, 24);
    empty(mailbox);
}

TEST(MallocConformance, AChildGoesOnWhateverThreadsWereDoing) {
    std::vector<std::atomic<size_t*>> mailbox(64);
    std::atomic<bool> is_over = false;
    std::thread busy([&] {
        while (!is_over) {
            exchange_objects(mailbox, 1, 100);
        }
    });
    for (unsigned i = 0; i < 10; ++i) {
        void* mine = malloc(100);
        memset(mine, 5, 100);
        const pid_t child = fork();
        if (child == 0) {
            std::vector<std::atomic<size_t*>> own(64);
            const bool is_right = exchange_objects(own, i, 1000) && holds(mine, 5, 100);
            free(mine);
            _exit(is_right ? 7 : 8);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
        free(mine);
    }
    is_over = true;
    busy.join();
    empty(mailbox);
}

void* from_handler = nullptr;
void ask_in_handler(int) {
    from_handler = malloc(opaque(48));
    memset(from_handler, 2, 48);
    free(malloc(opaque(3000)));
}

// Between two requests, so that no allocator is in the middle of anything; on a stack of its own, which who
// looks for the caller has to get over.
TEST(MallocConformance, SignalHandlersMayAskOnTheirOwnStack) {
    std::vector<char> stack(size_t{256} << 10);
    stack_t before = {};
    const stack_t own = {stack.data(), 0, stack.size()};
    ASSERT_EQ(sigaltstack(&own, &before), 0);
    struct sigaction action = {};
    action.sa_handler = ask_in_handler;
    action.sa_flags = SA_ONSTACK;
    ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
    for (int i = 0; i < 100; ++i) {
        void* mine = malloc(opaque(48));
        memset(mine, 1, 48);
        raise(SIGUSR1);
        EXPECT_TRUE(holds(mine, 1, 48));
        EXPECT_TRUE(holds(from_handler, 2, 48));
        free(mine);
        free(from_handler);
    }
    signal(SIGUSR1, SIG_DFL);
    sigaltstack(&before, nullptr);
}

}  // namespace
}  // namespace malloom::tests
