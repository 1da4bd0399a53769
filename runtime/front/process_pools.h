// The pool heap of a process: its threads' tables, and what ends of threads and forks mean to it.
#pragma once

#include "runtime/heaps/heap.h"
#include "runtime/heaps/pools/pool_heap.h"

namespace malloom::front {

/// The calling thread's table, or a stand-in: of a thread that has none yet, of one that is getting its
/// table, forks or has ended. The one word a thread that the pool heap has.
extern constinit thread_local heaps::PoolThread* pool_thread
    [[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]];

/// At most one that is open. All zero until then.
class ProcessPools {
  public:
    /// Before any other call: from now on requests of no client get nothing.
    static void prepare();
    /// Finds address space, and watches for ends of threads and forks. Before the first client; more
    /// than once is no harm. False where address space is short.
    bool open();
    /// For tests: no other thread is left.
    void close();
    /// The library that has the pools goes: no thread will call it again. Objects stay.
    void close_but_objects();

    /// As PoolHeap's, of the calling thread.
    [[gnu::always_inline]] void* allocate_fast(uint32_t client) {
        return heap.allocate_fast(*pool_thread, client);
    }
    [[gnu::always_inline]] bool release_fast(void* object) { return heap.release_fast(*pool_thread, object); }
    [[gnu::noinline]] void* allocate(uint32_t client);
    [[gnu::noinline]] void release(void* object);
    /// The calling thread's table, made where it has none.
    heaps::PoolThread& own_thread();
    /// PoolThread::left_in_a_row of one that has lost none.
    static constexpr int32_t most_in_a_row = 1 << 16;

    // As the other heaps of a composition. Requests come by client, as the front knows it.
    static void* allocate(const heaps::Request&) { return nullptr; }
    [[gnu::always_inline]] void deallocate(void* object) {
        if (!release_fast(object)) [[unlikely]] {
            release(object);
        }
    }
    // Of an address in a pool that went back too, which is a misuse.
    [[gnu::always_inline]] bool owns(const void* object) const { return heap.arena().covers(object); }
    size_t usable_size(const void* object) const {
        const heaps::Pool* pool = heap.arena().find(object);
        return pool != nullptr ? pool->chunk_bytes : 0;
    }
    // A realloc of what is no object is a misuse as its free is.
    bool resize(const void* object, const heaps::Request& request) const {
        return heaps::fits_room(request.bytes, heap.pool_of_object(object).chunk_bytes);
    }

    heaps::PoolHeap heap;
};

static_assert(heaps::ClaimingHeap<ProcessPools>);

}  // namespace malloom::front
