// Objects beside their siblings: those of one companion get chunks that are neighbours.
//
// Where the objects of many companions are made in turns (the edges of a graph's vertices), requests in a row
// are no neighbours in use, and a pool alone mixes them. The idea of asking for a place near a given object
// is Chilimbi, Hill and Larus's ccmalloc (PLDI 1999); here nobody asks, the companion is found
// (runtime/context/companion_monitor.h).
//
// An object begins a run of chunks; those behind it wait for its siblings. The companion itself leads to
// them: it holds a pointer to the sibling that came last, or it is that sibling. Which chunks wait is said by
// a bit of each, in a table of its own that is small enough to stay in a cache. So nothing is stored per
// companion, and no line of a run is touched before an object lies there: touched with the run's first
// object, most would have left the cache when theirs comes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/pools/pool_heap.h"
#include "runtime/structures/freestanding/shared_word.h"
#include "runtime/structures/growing_range.h"

namespace malloom::heaps {

/// One for a pool heap, with all zero besides. Whoever asks is a thread with a table of that heap's.
class ColocationHeap {
  public:
    constexpr explicit ColocationHeap(PoolHeap& pools) : pools_(pools) {}

    /// Where there is no place for a size.
    static constexpr uint32_t none = 0xffffffff;
    /// Smaller objects have their neighbours on their line anyway, larger ones fill lines wherever they lie.
    static constexpr size_t least_bytes = 17;
    static constexpr size_t largest_bytes = 512;

    /// The number for objects of these bytes; none where they are too small or too large. After
    /// PoolHeap::open. Thread-safe.
    uint32_t add(size_t bytes);

    /// How many objects of the number a companion has, as was learned before; 0 where it was not. A
    /// companion's first run follows it. Thread-safe.
    void expect(uint32_t number, uint32_t siblings);
    /// How many a companion has in this run so far, which half of them at least come near to; 0 where too few
    /// have any.
    uint32_t siblings(uint32_t number) const;

    /// An object beside the companion's others. `offset` is of the word in the companion that points to the
    /// last of them, in bytes; a companion that has the number's size is taken for the last one itself. Any
    /// address: of one that lies in no pool nothing is read, and the object begins a run. Null without
    /// memory, and where the pool heap refuses. The objects are the pool heap's. Thread-safe. `number` is
    /// add's.
    [[gnu::always_inline]] void* allocate(PoolThread& self, uint32_t number, uintptr_t companion,
                                          size_t offset) {
        void* object = allocate_waiting(self, number, companion, offset);
        return object != nullptr ? object : begin(self, number, companion, offset);
    }
    /// The common case: a chunk waits behind the last of them. Null, and nothing has changed, where it is
    /// another.
    [[gnu::always_inline]] void* allocate_waiting(PoolThread& self, uint32_t number, uintptr_t companion,
                                                  size_t offset) {
        if (self.is_busy) [[unlikely]] {
            return nullptr;
        }
        Size& size = sizes_[number];
        const BusyScope busy(self);
        return take_waiting(self, size, word_at(companion + offset) + size.chunk_bytes);
    }

    /// What allocate does where allocate_waiting has nothing.
    [[gnu::noinline]] void* begin(PoolThread& self, uint32_t number, uintptr_t companion, size_t offset);

  private:
    // A companion's first run is of generation 0; each that is used up is followed by one of the next.
    static constexpr unsigned generations = 15;

    /// Of the objects of one size.
    struct alignas(64) Size {
        uint32_t chunk_bytes;         ///< 0 before it has a client
        uint32_t client;              ///< of the pool heap
        uint32_t first_run;           ///< chunks of a companion's first run; 0 where nothing was learned
        structures::RacyCount used;   ///< chunks that objects got
        structures::RacyCount taken;  ///< chunks of all runs
        structures::RacyCount begun[generations];  ///< runs
    };

    // At every second step a chunk of a pool is larger, at the others one of the C library.
    static constexpr size_t step = 8;
    static constexpr uint32_t sizes_count = largest_bytes / step;

    // At a run's last chunk, its generation. At the index of the chunk's address in the arena.
    // Chunks that are neighbours may share one, and an older pool's may be left over: it is a hint.
    static constexpr size_t bytes_per_mark = 64;

    uint8_t* marks() const { return reinterpret_cast<uint8_t*>(marks_.base()); }
    size_t index_of_mark(uintptr_t chunk) const { return (chunk - arena().base()) / bytes_per_mark; }
    unsigned mark_of(uintptr_t chunk) const;
    void set_mark(uintptr_t chunk, unsigned mark);

    // Which chunks wait for an object of their pool's owner, who alone changes it: a bit for each address
    // that may be a chunk's.
    uint64_t* waiting_words() const { return reinterpret_cast<uint64_t*>(waiting_.base()); }
    size_t bit_of(uintptr_t chunk) const { return (chunk - arena().base()) / PoolHeap::chunk_alignment; }
    // Implies that it lies in the arena.
    [[gnu::always_inline]] bool can_wait(uintptr_t chunk) const {
        return chunk - arena().base() < __atomic_load_n(&waiting_bytes_, __ATOMIC_RELAXED) &&
               chunk % PoolHeap::chunk_alignment == 0;
    }

    [[gnu::always_inline]] bool is_readable(uintptr_t address) const {
        return arena().covers(reinterpret_cast<const void*>(address)) && address % sizeof(uintptr_t) == 0;
    }
    // Not checked by sanitizers, into whose code it must not be inlined: the program owns the object, and may
    // be writing it. 0 outside the pools.
    __attribute__((no_sanitize("address", "thread", "undefined"))) uintptr_t
    word_at(uintptr_t address) const {
        return is_readable(address) ? *reinterpret_cast<const volatile uintptr_t*>(address) : 0;
    }

    // An object of the chunk at the address, if one waits there for this thread; else null. Beyond what is
    // carved there may be bits of the range's last pool, and the pool may be another thread's by now.
    [[gnu::always_inline]] void* take_waiting(PoolThread& self, Size& size, uintptr_t chunk) {
        if (!can_wait(chunk)) [[unlikely]] {
            return nullptr;
        }
        // The object is about to be written there.
        __builtin_prefetch(reinterpret_cast<const void*>(chunk), 1);
        Pool* pool = arena().pool_of(reinterpret_cast<const void*>(chunk));
        if (pool == nullptr || !is_carved(*pool, self, size, chunk)) [[unlikely]] {
            return nullptr;
        }
        const size_t bit = bit_of(chunk);
        uint64_t& word = waiting_words()[bit / 64];
        const uint64_t waiting = __atomic_load_n(&word, __ATOMIC_RELAXED);
        if ((waiting >> bit % 64 & 1) == 0) [[unlikely]] {
            return nullptr;
        }
        __atomic_store_n(&word, waiting & ~(uint64_t{1} << bit % 64), __ATOMIC_RELAXED);
        auto* object = reinterpret_cast<void*>(chunk);
        pools_.make_object(self, *pool, object);
        size.used.add(1);
        return object;
    }
    [[gnu::always_inline]] static bool is_carved(const Pool& pool, const PoolThread& self, const Size& size,
                                                 uintptr_t chunk) {
        return __atomic_load_n(&pool.owner, __ATOMIC_RELAXED) == &self && pool.client == size.client &&
               chunk - pool.start < uint64_t{pool.carved} * size.chunk_bytes;
    }

    /// Whether the pool heap has the client of the objects, with chunks of these bytes. Thread-safe.
    bool is_valid(const Size& size) const noexcept;
    bool is_of(const Size& size, uintptr_t address) const;
    void* begin_run(PoolThread& self, Size& size, unsigned generation);
    static uint32_t chunks_of_run(const Size& size, unsigned generation);
    bool has_room_for_runs(const Size& size) const;
    unsigned generation_after(uintptr_t sibling) const;
    void prepare(const Pool& pool);
    void let_wait(const Size& size, uintptr_t first, uintptr_t last);

    const PoolArena& arena() const { return pools_.arena(); }
    // Whether the range, with so many bytes of the arena to one of its own, reaches that far into it.
    bool has_reached(structures::GrowingRange& range, size_t bytes_per_byte, size_t arena_bytes) const;

    PoolHeap& pools_;
    Size sizes_[sizes_count] = {};
    structures::GrowingRange marks_;
    structures::GrowingRange waiting_;
    size_t waiting_bytes_ = 0;  ///< of the arena, that waiting_ has bits for
};

}  // namespace malloom::heaps
