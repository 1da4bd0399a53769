// Objects beside their siblings: those of one friend get chunks that are neighbours.
//
// Where the objects of many friends are made in turns (the edges of a graph's vertices), requests in a row
// are no neighbours in use, and a pool alone mixes them. The idea of asking for a place near a given object
// is Chilimbi, Hill and Larus's ccmalloc (PLDI 1999); here nobody asks, the friend is found
// (runtime/context/friend_monitor.h).
//
// An object begins a run of chunks; those behind it wait for its siblings. The friend itself leads to them:
// it holds a pointer to the sibling that came last, or it is that sibling. So nothing is stored per friend,
// and one byte per 32 bytes of chunks.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/pool_heap.h"
#include "runtime/structures/growing_range.h"
#include "runtime/structures/racy_count.h"

namespace malloom::heaps {

class NearHeap {
  public:
    /// Where there is no place for a size.
    static constexpr uint32_t none = 0xffffffff;
    /// Smaller objects have their neighbours on their line anyway, larger ones fill lines wherever they lie.
    static constexpr size_t least_bytes = 17;
    static constexpr size_t largest_bytes = 512;

    /// The number for objects of these bytes; none where they are too small or too large. After
    /// PoolHeap::open. Thread-safe.
    static uint32_t add(size_t bytes);

    /// An object beside the friend's others. `offset` is of the word in the friend that points to the last of
    /// them, in bytes; a friend that has the number's size is taken for the last one itself. Any address: of
    /// one that is no object of a pool nothing is read, and the object begins a run. Null without memory, and
    /// where the pool heap refuses. The objects are the pool heap's. Thread-safe.
    [[gnu::always_inline]] static void* allocate(uint32_t number, uintptr_t friend_address, size_t offset) {
        PoolThread* self = pool_thread;
        if (number >= sizes_count || self->is_busy) [[unlikely]] {
            return allocate_first(number);
        }
        const BusyScope busy(self);
        Size& size = sizes_[number];
        uintptr_t sibling = 0;
        Pool* pool = find_sibling(size.family, friend_address, offset, sibling);
        if (pool == nullptr) {
            return begin_run(*self, size, 0);
        }
        const uintptr_t next = sibling + pool->chunk_bytes;
        const unsigned mark = mark_of(next);
        if ((mark & waits) == 0 || __atomic_load_n(&pool->owner, __ATOMIC_RELAXED) != self) {
            return begin_next_run(*self, size, sibling);
        }
        set_mark(next, mark & ~waits);
        ++pool->living;
        size.used.add(1);
        return reinterpret_cast<void*>(next);
    }

  private:
    /// Of the objects of one size.
    struct Size {
        uint32_t family;              ///< of the pool heap; 0, which is nobody's, before it has one
        structures::RacyCount used;   ///< chunks that objects got
        structures::RacyCount taken;  ///< chunks of all runs
    };

    // At every second step a chunk of a pool is larger, at the others one of the C library.
    static constexpr size_t step = 8;
    static constexpr uint32_t sizes_count = largest_bytes / step;

    // A mark for each chunk of a run: the run's generation, and whether the chunk waits. At the index of the
    // chunk's address in the arena. One byte more than the arena needs, for the chunk behind the last.
    static constexpr size_t bytes_per_mark = 32;
    static constexpr unsigned waits = 0x80;

    static uint8_t* place_of_mark(uintptr_t chunk) {
        return reinterpret_cast<uint8_t*>(marks_.base()) + (chunk - pool_arena.base()) / bytes_per_mark;
    }
    // Other threads look at the marks of a pool whose owner writes them.
    static unsigned mark_of(uintptr_t chunk) {
        return __atomic_load_n(place_of_mark(chunk), __ATOMIC_RELAXED);
    }
    static void set_mark(uintptr_t chunk, unsigned mark) {
        __atomic_store_n(place_of_mark(chunk), static_cast<uint8_t>(mark), __ATOMIC_RELAXED);
    }

    // The address's pool, if it has the family; null for the inside of a chunk.
    [[gnu::always_inline]] static Pool* pool_with(uint32_t family, uintptr_t address) {
        Pool* pool = pool_arena.find(reinterpret_cast<const void*>(address));
        const uintptr_t offset = address - pool->start;
        if (pool->family != family || offset >= pool->span) {
            return nullptr;
        }
        // Divided as 32 bits: that takes a fraction of the time.
        return static_cast<uint32_t>(offset) % pool->chunk_bytes == 0 ? pool : nullptr;
    }

    // Not checked by sanitizers: the program owns the object, and may be writing it.
    [[gnu::no_sanitize("address", "thread", "undefined")]] static uintptr_t word_at(uintptr_t address) {
        return *reinterpret_cast<const volatile uintptr_t*>(address);
    }

    // Null where the friend leads to no sibling.
    [[gnu::always_inline]] static Pool* find_sibling(uint32_t family, uintptr_t friend_address, size_t offset,
                                                     uintptr_t& sibling) {
        const Pool* pool = pool_arena.find(reinterpret_cast<const void*>(friend_address));
        const uintptr_t place = friend_address + offset;
        if (place - pool->start < pool->span && place % sizeof(uintptr_t) == 0) [[likely]] {
            sibling = word_at(place);
            if (Pool* found = pool_with(family, sibling)) [[likely]] {
                return found;
            }
        }
        sibling = friend_address;
        return pool_with(family, friend_address);
    }

    [[gnu::noinline]] static void* allocate_first(uint32_t number);
    [[gnu::noinline]] static void* begin_run(PoolThread& self, Size& size, unsigned generation);
    [[gnu::noinline]] static void* begin_next_run(PoolThread& self, Size& size, uintptr_t sibling);
    static uint32_t wanted_chunks(const Size& size, unsigned generation, size_t chunk_bytes);
    static bool prepare_marks(const Pool& pool);

    static Size sizes_[sizes_count];
    static structures::GrowingRange marks_;
};

}  // namespace malloom::heaps
