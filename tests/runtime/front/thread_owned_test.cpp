// Whose instance is whose, where signal handlers fork.
#include "runtime/front/thread_owned.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "tests/runtime/forking_handler.h"

namespace malloom::tests {
namespace {

struct Instance {
    unsigned rounds;
};

/// Of one thread at a time, which a handler interrupts wherever the heap is at work.
class Heap {
  public:
    Instance* join() {
        raise(SIGUSR2);
        return &instance;
    }
    void leave(Instance&) { raise(SIGUSR2); }
    structures::ForkLock& lock() { return lock_; }
    void after_fork_in_child(Instance* of_forking) {
        was_whole = lock_.is_mine() && of_forking == known_to_forks;
    }

    Instance instance = {};
    Instance* known_to_forks = nullptr;  ///< whose a child of a fork has to be
    bool was_whole = false;              ///< in the child

  private:
    structures::ForkLock lock_;
};

constinit Instance no_instance = {};
constinit Instance away_instance = {};
constinit thread_local Instance* own_instance = &no_instance;
struct Threads {
    static Instance*& own() { return own_instance; }
    static Instance& none() { return no_instance; }
    static Instance& away() { return away_instance; }
};
constinit Heap heap;
constinit front::ThreadOwned<Heap, Instance, Threads> threads;
using OfThreads = front::Callbacks<threads, Instance>;

[[gnu::constructor(102)]] void watch_forks() {
    OfThreads::watch_forks();
}

class ThreadOwned : public testing::Test {
  protected:
    ThreadOwned() {
        signal(SIGUSR2, SIG_IGN);
        threads.open(heap, OfThreads::on_thread_end, [] { return true; });
        heap.known_to_forks = &heap.instance;
    }
};

/// Of a child of a fork: whether the heap was told of the right instance.
bool is_whole_in_child() {
    const pid_t child = fork();
    if (child == 0) {
        _exit(heap.was_whole ? 0 : 1);
    }
    return has_ended_well(child);
}

TEST_F(ThreadOwned, AChildHasTheInstanceOfWhoForks) {
    heap.known_to_forks = nullptr;
    EXPECT_TRUE(is_whole_in_child()) << "it has none yet";
    EXPECT_EQ(&threads.joined(), &heap.instance);
    heap.known_to_forks = &heap.instance;
    EXPECT_TRUE(is_whole_in_child());
    EXPECT_EQ(own_instance, &heap.instance);
}

TEST_F(ThreadOwned, AForkWithinAForkLeavesNothingLockedAndNobodyAway) {
    threads.joined();
    const auto is_as_before = [] { return own_instance == &heap.instance && !heap.lock().is_mine(); };
    for (const HandlerComes comes : {HandlerComes::before_the_child, HandlerComes::after_the_child}) {
        EXPECT_TRUE(are_well_after_fork_within_fork(comes, is_as_before));
        EXPECT_TRUE(is_whole_in_child());
    }
}

// In the child the instance would be nobody's, though the thread goes on with it.
TEST_F(ThreadOwned, NoHandlerForksWhileAThreadGetsOrLeavesItsInstance) {
    static int forks = 0;
    static bool was_whole = true;
    signal(SIGUSR2, [](int) {
        ++forks;
        was_whole = is_whole_in_child() && was_whole;
    });
    std::thread([] {
        threads.joined();
        EXPECT_EQ(forks, 1);
        heap.known_to_forks = nullptr;  // in the end
    }).join();
    signal(SIGUSR2, SIG_IGN);
    EXPECT_EQ(forks, 2);
    EXPECT_TRUE(was_whole);
}

}  // namespace
}  // namespace malloom::tests
