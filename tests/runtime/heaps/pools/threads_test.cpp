// The pool heap under threads that end, free what others made, are interrupted by signals, and fork.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/runtime/heaps/pools/pools_here.h"

namespace malloom::tests {
namespace {

constexpr size_t sizes[] = {16, 48, 64, 200, 1000, 3000};

/// Objects on their way from any thread to any other, each filled with one byte.
class Exchange {
  public:
    explicit Exchange(size_t places) : places_(places) {
        pools_.self();  // handlers must not be the first to ask for it
        for (const size_t bytes : sizes) {
            clients_.push_back(pools_.heap.add(bytes));
        }
    }

    /// Puts a new object somewhere, and frees the one that was there. False where its bytes had changed.
    bool replace(unsigned long random) {
        const auto kind = random % clients_.size();
        const uint32_t client = clients_[kind];
        void* object = pools_.allocate(client);
        if (object != nullptr) {
            memset(object, static_cast<char>(random >> 8 | 1), sizes[kind]);
        }
        return release(places_[random / clients_.size() % places_.size()].exchange(object));
    }
    bool release_all() {
        return std::all_of(places_.begin(), places_.end(),
                           [this](auto& place) { return release(place.exchange(nullptr)); });
    }

    /// As fork, with what a front does around it.
    pid_t fork_process() {
        heaps::PoolThread& self = pools_.self();
        self.is_busy = true;
        pools_.heap.lock().hold_for_fork();
        const pid_t child = fork();
        if (child == 0) {
            pools_.heap.after_fork_in_child(&self);
        }
        pools_.heap.lock().end_fork();
        self.is_busy = false;
        return child;
    }

  private:
    bool release(void* object) {
        if (object == nullptr) {
            return true;
        }
        const auto* bytes = static_cast<unsigned char*>(object);
        const size_t chunk = pools_.heap.usable_size(object);
        const size_t used = *std::find_if(std::begin(sizes), std::end(sizes),
                                          [&](size_t size) { return pools_.heap.chunk_for(size) == chunk; });
        const bool whole =
            std::all_of(bytes, bytes + used, [=](unsigned char byte) { return byte == *bytes; });
        pools_.deallocate(object);
        return whole;
    }

    PoolsHere pools_;
    std::vector<uint32_t> clients_;
    std::vector<std::atomic<void*>> places_;
};

TEST(PoolThreads, ObjectsGoFromAnyThreadToAnyOther) {
    Exchange exchange(3000);
    std::atomic<int> damaged = 0;
    for (unsigned generation = 0; generation < 10; ++generation) {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < 4; ++i) {
            threads.emplace_back([&, seed = generation * 4 + i] {
                std::mt19937_64 random(seed);
                for (int step = 0; step < 2000; ++step) {
                    damaged += exchange.replace(random()) ? 0 : 1;
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
    }
    EXPECT_TRUE(exchange.release_all());
    EXPECT_EQ(damaged, 0);
}

// Of the handler, which has no other way to get at things.
Exchange* handlers_exchange;
std::atomic<unsigned long> handled = 0;
std::atomic<int> damaged_in_handler = 0;

void exchange_in_handler(int) {
    const unsigned long count = ++handled;
    for (unsigned long i = 0; i < 4; ++i) {
        const unsigned long random = (count * 4 + i) * 0x9e3779b97f4a7c15;
        damaged_in_handler += handlers_exchange->replace(random >> 8) ? 0 : 1;
    }
}

TEST(PoolThreads, SignalHandlersMayComeAnywhere) {
    Exchange exchange(200);
    handlers_exchange = &exchange;
    struct sigaction action = {};
    action.sa_handler = exchange_in_handler;
    sigaction(SIGUSR1, &action, nullptr);
    std::atomic<bool> done = false;
    std::thread sender([&, victim = pthread_self()] {
        while (!done) {
            pthread_kill(victim, SIGUSR1);
            std::this_thread::yield();
        }
    });
    std::mt19937_64 random(1);
    int damaged = 0;
    for (int step = 0; handled < 300 || step < 6000; ++step) {
        damaged += exchange.replace(random()) ? 0 : 1;
    }
    done = true;
    sender.join();
    signal(SIGUSR1, SIG_DFL);
    EXPECT_TRUE(exchange.release_all());
    EXPECT_EQ(damaged, 0);
    EXPECT_EQ(damaged_in_handler, 0);
}

// A new thread may get the stack, and so the name, of one that the parent has: in the child of a process with
// further threads ThreadSanitizer takes it for that one, and ends the program.
#ifdef __SANITIZE_THREAD__
constexpr bool tells_threads_of_children = false;
#else
constexpr bool tells_threads_of_children = true;
#endif

void replace_many(Exchange& exchange, unsigned seed) {
    std::mt19937_64 random(seed);
    for (int step = 0; step < 1000; ++step) {
        exchange.replace(random());
    }
}

// In the child: everything is freed, by a thread that made part of it, and there is memory for more.
int use_in_child(Exchange& exchange, bool has_threads) {
    replace_many(exchange, 1);
    if (has_threads) {
        std::thread([&] { replace_many(exchange, 2); }).join();
    }
    return exchange.release_all() ? 0 : 1;
}

// What the other threads' objects hold is not looked at: they may have been written halfway.
TEST(PoolThreads, ChildrenOfAForkGoOnAlone) {
    Exchange exchange(500);
    std::atomic<bool> done = false;
    std::atomic<unsigned> begun = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 2; ++i) {
        threads.emplace_back([&, i] {
            std::mt19937_64 random(i);
            ++begun;
            while (!done) {
                exchange.replace(random());
            }
        });
    }
    // While a thread begins, AddressSanitizer's own allocator is locked, and would be so in a child for good.
    while (begun < threads.size()) {
        std::this_thread::yield();
    }
    for (int round = 0; round < 10; ++round) {
        const pid_t child = exchange.fork_process();
        if (child == 0) {
            use_in_child(exchange, tells_threads_of_children);
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    done = true;
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_TRUE(exchange.release_all());
}

// One generation of children after the other, each with threads; as they are left by a fork here, where there
// are none.
TEST(PoolThreads, ChildrenOfChildrenGiveMarksOutAgain) {
    PoolsHere pools;
    heaps::PoolThread& self = pools.self();
    const uint32_t client = pools.heap.add(48);
    std::vector<void*> objects;
    for (int generation = 0; generation < 6; ++generation) {
        for (int threads = 0; threads < 60; ++threads) {
            heaps::PoolThread& other = *pools.heap.join();
            EXPECT_LE(other.mark, heaps::ChunkState::most_marks);
            EXPECT_NE(other.mark, self.mark);
            for (void* object : objects) {
                ASSERT_FALSE(pools.heap.release_fast(other, object)) << "of a thread that had the mark";
            }
            if (threads == 0) {
                objects.push_back(pools.heap.allocate(other, client));
            }
        }
        pools.heap.lock().hold_for_fork();
        pools.heap.after_fork_in_child(&self);
        pools.heap.lock().end_fork();
    }
    for (void* object : objects) {
        pools.deallocate(object);
    }
}

// A thread beyond those that have marks of their own gives way to new ones.
TEST(PoolThreads, AChildOfTheCrowdGivesMarksOut) {
    PoolsHere pools;
    heaps::PoolThread* self = pools.heap.join();
    while (self->mark != heaps::ChunkState::of_crowd) {
        self = pools.heap.join();
    }
    pools.heap.lock().hold_for_fork();
    pools.heap.after_fork_in_child(self);
    pools.heap.lock().end_fork();
    EXPECT_LE(pools.heap.join()->mark, heaps::ChunkState::most_marks);
}

TEST(PoolThreads, AChildOfAProcessWithOneThreadFindsAllAsItWas) {
    Exchange exchange(500);
    std::mt19937_64 random(3);
    for (int step = 0; step < 5000; ++step) {
        ASSERT_TRUE(exchange.replace(random()));
    }
    const pid_t child = exchange.fork_process();
    if (child == 0) {
        _exit(use_in_child(exchange, true));
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(exchange.release_all());
}

}  // namespace
}  // namespace malloom::tests
