#include "runtime/front/process_pools.h"

#include <limits.h>
#include <pthread.h>

namespace malloom::front {

using heaps::AbsentPoolThread;
using heaps::PoolThread;

namespace {

constinit AbsentPoolThread no_thread = {};    // one that has no table yet
constinit AbsentPoolThread away_thread = {};  // one that may have none now

pthread_key_t end_key;
bool is_watching = false;
heaps::PoolHeap* watched = nullptr;

// Destructors of other keys may still use the heap: the key is set again until the last round but one. In the
// last one ThreadSanitizer takes its leave of the thread.
void on_thread_end(void* table) {
    auto* self = static_cast<PoolThread*>(table);
    if (++self->rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
        pthread_setspecific(end_key, self);
        return;
    }
    pool_thread = &away_thread.thread;
    if (watched != nullptr) {
        watched->leave(*self);
    }
}

constinit structures::ThreadLock opening;  // what is watched changes under it

// Other handlers of a fork may allocate: the forking thread is away while the heap is locked. Who forks may
// be a signal handler that interrupted the opening.
PoolThread* forking = nullptr;    // under the lock
bool has_locked_opening = false;  // as this
void before_fork() {
    const bool is_opening = opening.is_mine();
    if (!is_opening) {
        opening.lock();
    }
    has_locked_opening = !is_opening;
    PoolThread* self = pool_thread;
    pool_thread = &away_thread.thread;
    if (watched != nullptr) {
        watched->before_fork();
    }
    forking = self;
}
void let_open() {
    if (has_locked_opening) {
        opening.unlock();
    }
}
void after_fork() {
    PoolThread* self = forking;
    if (watched != nullptr) {
        watched->after_fork();
    }
    pool_thread = self;
    let_open();
}
void after_fork_in_child() {
    PoolThread* self = forking;
    if (watched != nullptr) {
        // After forget_ends a thread's table is known by the thread alone.
        const bool has_key = __atomic_load_n(&is_watching, __ATOMIC_ACQUIRE);
        void* table = has_key ? pthread_getspecific(end_key) : self;
        watched->after_fork_in_child(static_cast<PoolThread*>(table));
    }
    pool_thread = self;
    let_open();
}

/// Before the program's own handlers of forks, which then come while nothing is locked: they may wait for
/// threads that ask for objects.
[[gnu::constructor(101)]] void watch_forks() {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void watch_ends() {
    if (!is_watching && pthread_key_create(&end_key, on_thread_end) == 0) {
        __atomic_store_n(&is_watching, true, __ATOMIC_RELEASE);
    }
}

/// A shared library that has pools takes its code along when it is closed: threads that end later must not
/// look for it.
[[gnu::destructor(101)]] void forget_ends() {
    if (__atomic_exchange_n(&is_watching, false, __ATOMIC_ACQ_REL)) {
        pthread_key_delete(end_key);
    }
}

}  // namespace

constinit thread_local PoolThread* pool_thread [[gnu::tls_model("initial-exec")]] = &no_thread.thread;

void ProcessPools::prepare() {
    no_thread.close_all(1);
    away_thread.close_all(1);
}

bool ProcessPools::open() {
    if (opening.is_mine()) {
        return watched == &heap;  // a handler of a fork, or one that interrupted this
    }
    const structures::Locked locked(opening);
    if (watched == &heap) {
        return true;
    }
    if (!heap.open()) {
        return false;
    }
    watch_ends();
    heap.add_stand_in(no_thread);
    heap.add_stand_in(away_thread);
    watched = &heap;
    return true;
}

void ProcessPools::close() {
    if (watched == &heap) {
        pthread_setspecific(end_key, nullptr);
        pool_thread = &no_thread.thread;
        watched = nullptr;
        heap.close();
    }
}

void ProcessPools::close_but_objects() {
    forget_ends();
    if (watched == &heap) {
        pool_thread = &no_thread.thread;
        watched = nullptr;
        heap.close_but_objects();
    }
}

PoolThread& ProcessPools::own_thread() {
    PoolThread* self = pool_thread;
    if (self != &no_thread.thread || !__atomic_load_n(&is_watching, __ATOMIC_ACQUIRE)) [[likely]] {
        return *self;
    }
    pool_thread = &away_thread.thread;  // what follows may allocate
    PoolThread* table = heap.join();
    if (table != nullptr) {
        table->rounds = 0;
        table->patience = whole_patience;
        pthread_setspecific(end_key, table);
    }
    pool_thread = table != nullptr ? table : &no_thread.thread;
    return *pool_thread;
}

void* ProcessPools::allocate(uint32_t borrower) {
    return heap.allocate(own_thread(), borrower);
}

void ProcessPools::release(void* object) {
    heap.release(own_thread(), object);
}

}  // namespace malloom::front
