#include "runtime/front/process_pools.h"

#include "runtime/front/thread_owned.h"

namespace malloom::front {

using heaps::AbsentPoolThread;
using heaps::PoolThread;

namespace {

constinit AbsentPoolThread no_thread = {};    // one that has no table yet
constinit AbsentPoolThread away_thread = {};  // one that may have none now

struct PoolThreads {
    static PoolThread*& own() { return pool_thread; }
    static PoolThread& none() { return no_thread.thread; }
    static PoolThread& away() { return away_thread.thread; }
};
constinit ThreadOwned<heaps::PoolHeap, PoolThread, PoolThreads> threads;
using OfThreads = Callbacks<threads, PoolThread>;

[[gnu::constructor(101)]] void watch_forks() {
    OfThreads::watch_forks();
}

/// Where the pools lie in a shared library of the program.
[[gnu::destructor(101)]] void forget_ends() {
    threads.forget_ends();
}

}  // namespace

constinit thread_local PoolThread* pool_thread [[gnu::tls_model("initial-exec")]] = &no_thread.thread;

void ProcessPools::prepare() {
    no_thread.close_all(1);
    away_thread.close_all(1);
}

bool ProcessPools::open() {
    return threads.open(heap, OfThreads::on_thread_end, [this] {
        if (!heap.open()) {
            return false;
        }
        heap.add_stand_in(no_thread);
        heap.add_stand_in(away_thread);
        return true;
    });
}

void ProcessPools::close() {
    if (threads.close(heap)) {
        heap.close();
    }
}

void ProcessPools::close_but_objects() {
    threads.forget_ends();
    if (threads.close(heap)) {
        heap.close_but_objects();
    }
}

PoolThread& ProcessPools::own_thread() {
    PoolThread* before = pool_thread;
    PoolThread& self = threads.joined();
    if (&self != before) {
        self.left_in_a_row = most_in_a_row;
    }
    return self;
}

void* ProcessPools::allocate(uint32_t client) {
    return heap.allocate(own_thread(), client);
}

void ProcessPools::release(void* object) {
    heap.release(own_thread(), object);
}

}  // namespace malloom::front
