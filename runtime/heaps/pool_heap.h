// Pools of requests of one size (Zhao, Rabbah, Wong: pool allocation): chunks without headers, one after the
// other in the order of requests, freed ones on a stack.
//
// A family is what asks for one size: a call site, a context, a pool of a compiler's. Each thread has pools
// of its own of each family it asks for, each twice as large as the one before, to a bound. A chunk that
// another thread frees is handed back to the pool's owner. A pool whose chunks are all free goes back.
//
// One per process. Any number of fronts may add families.
#pragma once

#include "runtime/heaps/heap.h"
#include "runtime/heaps/pool_arena.h"
#include "runtime/heaps/pool_thread.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

class PoolHeap {
  public:
    /// Where there is no family. Asking for it gets nothing.
    static constexpr uint32_t none = 0;
    static constexpr size_t largest_chunk = size_t{32} << 10;

    /// Reserves address space, and watches for ends of threads and for forks. Called before the first add;
    /// more than once is no harm. False where address space is short; the heap then claims nothing.
    bool open();

    /// From now on what pools fill becomes huge pages, where the system makes them at request.
    static void prefer_huge_pages();

    /// A new family for requests of up to `bytes`, rounded up as chunk_for says; none where they are larger
    /// than largest_chunk or there are too many families. Thread-safe.
    uint32_t add(size_t bytes);

    /// A new family for take_run alone.
    static uint32_t add_for_runs(size_t bytes);

    /// An object, and up to `count` - 1 untouched chunks behind it, in the same pool, that are the caller's
    /// to give out later: whenever one becomes an object it adds it to Pool::living. `count` says how many
    /// chunks there are; of a freed one there is 1. A pool that becomes empty goes back with the chunks that
    /// wait in it. Null without memory. Only by a thread that is within the pool heap (BusyScope).
    [[gnu::noinline]] static void* take_run(PoolThread& self, uint32_t family, uint32_t& count);

    /// Ends the family and all objects in its pools. No thread may be using it, or ask for it later; its
    /// number may come again. Thread-safe.
    void destroy(uint32_t family);

    /// The common case of allocate: this thread's magazine has a chunk. Null, and nothing has changed, where
    /// it is another. The number is add's, or none.
    [[gnu::always_inline]] static void* allocate_small(uint32_t family) {
        PoolThread* self = pool_thread;
        if (self->is_busy) [[unlikely]] {
            return nullptr;
        }
        return take_from_magazine(self->top(family));
    }

    /// A chunk of the family. Null where memory is short, for none and families destroyed, for a signal
    /// handler that came within the pool heap, and for the first requests of further threads, which hardly
    /// need a pool. Thread-safe.
    [[gnu::noinline]] static void* allocate(uint32_t family);

    /// The common case of deallocate: a chunk of this thread's pools. False, and nothing has changed, for any
    /// other pointer.
    [[gnu::always_inline]] static bool release_small(void* object) {
        if (!pool_arena.covers(object)) [[unlikely]] {
            return false;
        }
        uint64_t* top = pool_arena.top_of_covered(object);
        if (!pool_thread->has(top)) [[unlikely]] {
            return false;
        }
        return put_into_magazine(*top, object);
    }

    /// Ends the program with a line where the pointer is within a chunk, or beyond those of its pool, or was
    /// freed just before.
    [[gnu::noinline]] static void release_any(void* object);

    static void* allocate(const Request& request) {
        const PoolOfRequester pooled = request.requester->pooled.now();
        if (request.bytes != pooled.bytes || request.alignment > chunk_alignment) {
            return nullptr;
        }
        void* object = allocate_small(pooled.family);
        return object != nullptr ? object : allocate(pooled.family);
    }
    [[gnu::always_inline]] static void deallocate(void* object) {
        if (!release_small(object)) [[unlikely]] {
            release_any(object);
        }
    }
    /// Whether a pool lies there. Thread-safe.
    [[gnu::always_inline]] static bool owns(const void* object) {
        return pool_arena.find(object) != &no_pool_there;
    }
    /// Bytes of the chunk.
    static size_t usable_size(const void* object) { return pool_arena.find(object)->chunk_bytes; }

    /// As the other heaps: an object stays where its chunk fits.
    static bool resize(const void* object, const Request& request) {
        return fits_room(request.bytes, usable_size(object));
    }

    /// Bytes that a request gets. Large ones begin with a pair of lines, which many processors fetch
    /// together: what is used most is often at the beginning.
    static constexpr size_t chunk_for(size_t bytes) {
        const size_t alignment = bytes < least_paired ? chunk_alignment : line_pair;
        return platform::round_up(bytes == 0 ? 1 : bytes, alignment);
    }
    /// The same of the family's requests; 0 for a number that is no family's.
    static size_t chunk_bytes(uint32_t family);

    /// Bytes of address ranges that pools have now; a snapshot.
    static size_t held_bytes() { return pool_arena.held_bytes(); }

    static constexpr size_t chunk_alignment = 16;

  private:
    static constexpr size_t line_pair = 128;
    static constexpr size_t least_paired = 8 * line_pair;  // at most an eighth more

    static uint32_t add_family(size_t bytes, bool is_for_runs);
};

static_assert(ClaimingHeap<PoolHeap>);

}  // namespace malloom::heaps
