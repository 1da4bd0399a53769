#include "workloads/pool_pairs/pool.h"

#include "runtime/heaps/pools/pool_heap.h"

using malloom::heaps::AbsentPoolThread;
using malloom::heaps::PoolHeap;
using malloom::heaps::PoolThread;

static constinit PoolHeap heap;
static uint32_t client = PoolHeap::none;

// Threads keep their table to the end of the process.
static constinit AbsentPoolThread no_thread = {};
static constinit thread_local PoolThread* pool_thread = &no_thread.thread;

int pool_open(size_t bytes) {
    if (heap.open()) {
        heap.add_stand_in(no_thread);
        client = heap.add(bytes);
    }
    return client != PoolHeap::none;
}

static PoolThread& own_thread() {
    PoolThread* table = pool_thread == &no_thread.thread ? heap.join() : nullptr;
    pool_thread = table != nullptr ? table : pool_thread;
    return *pool_thread;
}

[[gnu::noinline]] static void* allocate_slowly() {
    return heap.allocate(own_thread(), client);
}
[[gnu::noinline]] static void release_slowly(void* object) {
    heap.release(own_thread(), object);
}

void* pool_allocate() {
    void* object = heap.allocate_fast(*pool_thread, client);
    return object != nullptr ? object : allocate_slowly();
}

void pool_release(void* object) {
    if (!heap.release_fast(*pool_thread, object)) {
        release_slowly(object);
    }
}
