// A pool: chunks of one size in one address range. What is known about it lies apart from the range, so
// chunks have no headers and a range has no first page that all would touch.
//
// A pool belongs to a size class (its chunk's bytes) and to one thread, its owner, who lends it to a
// client: a call site, a context, a pool of a compiler's. It is
// - listed: it has chunks to give, and is among those that its owner fills the client's magazine from;
// - full: the first thread that gives one of its chunks back makes it pending, for the owner to look at;
// - spare: mostly free, so its owner may lend it to another client of the size class;
// - an orphan: its owner has ended; who needs its size class, or frees one of its chunks, adopts it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/structures/thread_lock.h"

namespace malloom::heaps {

struct PoolThread;

/// What the byte of a chunk says that begins at the granule; 0 too where none begins. From 1 to most_marks:
/// it is an object, and the number is its pool's owner's (PoolThread::mark).
struct ChunkState {
    static constexpr uint8_t none = 0;  ///< no chunk, or one in its owner's magazine, or never used
    static constexpr uint8_t most_marks = 250;
    static constexpr uint8_t of_crowd = 251;   ///< an object; owners beyond most_marks share this one
    static constexpr uint8_t of_orphan = 252;  ///< an object; the pool has no owner
    static constexpr uint8_t nobodys = 253;    ///< no chunk ever has it
    static constexpr uint8_t in_pool = 254;    ///< free, and back in its pool or on the way there

    static constexpr bool is_object(uint8_t state) { return state != none && state < nobodys; }
};

/// Whether misuse is noticed. Without, states say only what is back in its pool: a build to measure what the
/// checks cost (the option MALLOOM_UNCHECKED), and for nothing else.
#if defined(MALLOOM_UNCHECKED)
constexpr bool is_checked = false;
#else
constexpr bool is_checked = true;
#endif

enum class PoolState : uint8_t { unused, listed, full, spare, orphan };

/// All zero is an unused one. The lists are its owner's alone; `lock` guards the rest where nothing else is
/// said.
struct alignas(128) Pool {
    // These stay while the pool is in use.
    uintptr_t start;       ///< the first chunk
    uint64_t span;         ///< bytes of all chunks; chunks lie at start + n * chunk_bytes below it
    uint64_t reciprocal;   ///< 2^32 / the chunk's granules, rounded up
    uint32_t chunk_bytes;  ///< a multiple of granule_bytes
    uint32_t capacity;     ///< chunks

    PoolThread* owner;  ///< null where it is an orphan; changes under the arena's lock too
    structures::ThreadLock lock;
    uint32_t carved;      ///< chunks that were ever given out; the rest is untouched
    uint32_t out;         ///< chunks that are objects, in the magazine, or reserved
    uint32_t reserved;    ///< of these: reserved by PoolHeap::take_run, and not objects yet; the owner's
    uint32_t returned;    ///< chunks that others have given back since the owner looked
    uint32_t search;      ///< word of the free bits below which none is set
    uint32_t idle_pages;  ///< resident pages without a chunk that is out
    uint32_t
        touched;  ///< bytes of the range up to the last chunk that was ever out of it; stays in use after use
    uint32_t client;
    uint8_t order;    ///< the range has range_bytes(order)
    uint8_t state_;   ///< PoolState
    bool is_pending;  ///< on its owner's stack of pending pools; an orphan: in its size class's list
    bool is_over;     ///< its client was destroyed: the owner gives it back
    bool is_spread;   ///< its chunks stand for objects that lie anywhere in the range

    Pool* pending_next;  ///< on the owner's stack; of the arena's unused ones
    Pool* owned_next;    ///< of its owner's pools of the client
    Pool* owned_before;
    Pool* listed_next;  ///< of those that are listed, of the class's spare ones, or of its orphans
    Pool* listed_before;

    /// Its owner alone changes it, or whoever has the arena's lock where it has none; others look.
    PoolState state() const { return static_cast<PoolState>(__atomic_load_n(&state_, __ATOMIC_RELAXED)); }
    void set_state(PoolState state) {
        __atomic_store_n(&state_, static_cast<uint8_t>(state), __ATOMIC_RELAXED);
    }

    uint32_t freed() const { return carved - out; }
    bool has_chunk() const { return out < capacity; }
    bool is_mostly_free() const { return out <= capacity / 4; }
    /// Whether no object lies in it, and no magazine has its chunks.
    bool is_empty() const { return out == reserved; }
};
static_assert(sizeof(Pool) == 128);

constexpr unsigned granule_shift = 4;
constexpr size_t granule_bytes = size_t{1} << granule_shift;  ///< chunks are multiples of it

constexpr unsigned pool_unit_shift = 14;
constexpr size_t smallest_range = size_t{1} << pool_unit_shift;  ///< bytes of the smallest pool
constexpr unsigned pool_orders = 7;                              ///< each twice the one before: to 1 MiB
constexpr size_t largest_range = smallest_range << (pool_orders - 1);
/// Fresh ranges are halves of larger ones, down from such a block, which may be a huge page.
constexpr size_t block_bytes = 2 * largest_range;
constexpr size_t largest_chunk = size_t{32} << 10;
constexpr size_t size_classes = largest_chunk / granule_bytes + 1;  ///< by the chunk's granules

constexpr size_t range_bytes(unsigned order) {
    return smallest_range << order;
}
/// Where the pool's range begins.
inline uintptr_t range_of(const Pool& pool) {
    return pool.start & ~(smallest_range - 1);
}
constexpr size_t class_of(size_t chunk_bytes) {
    return chunk_bytes / granule_bytes;
}
/// Of memory that each of the pool's objects takes.
inline size_t object_bytes(const Pool& pool) {
    return pool.is_spread ? range_bytes(pool.order) / pool.capacity : pool.chunk_bytes;
}
/// Pools whose chunks stand for objects are nobody else's: no chunk has their class.
inline size_t class_of(const Pool& pool) {
    return pool.is_spread ? 0 : class_of(size_t{pool.chunk_bytes});
}

/// Of a chunk of so many granules: what index_of multiplies by.
constexpr uint64_t reciprocal_of(uint32_t granules) {
    return (uint64_t{0xffffffff} / granules) + 1;
}

struct ChunkIndex {
    uint32_t index;
    bool is_exact;  ///< the address is a chunk's first byte
};

/// Of an offset from the first chunk, by one multiplication (Lemire, Kaser, Kurz: Faster remainder by direct
/// computation): the upper half is the number of the chunk, and the lower half is small where nothing
/// remains.
constexpr uint64_t times_reciprocal(uint64_t offset, uint64_t reciprocal) {
    return (offset >> granule_shift) * reciprocal;
}

/// The chunk that an address lies in, which lies in the pool's range.
inline ChunkIndex index_of(const Pool& pool, uintptr_t address) {
    const uint64_t offset = address - pool.start;
    const uint64_t product = times_reciprocal(offset, pool.reciprocal);
    return {static_cast<uint32_t>(product >> 32), offset < pool.span && offset % granule_bytes == 0 &&
                                                      static_cast<uint32_t>(product) < pool.reciprocal};
}

inline uintptr_t chunk_at(const Pool& pool, uint32_t index) {
    return pool.start + uint64_t{index} * pool.chunk_bytes;
}

/// Lists of pools that go both ways, through one pair of links.
template <Pool* Pool::* next, Pool* Pool::* before>
struct PoolList {
    static void add(Pool*& first, Pool& pool) {
        pool.*before = nullptr;
        pool.*next = first;
        if (first != nullptr) {
            first->*before = &pool;
        }
        first = &pool;
    }
    static void remove(Pool*& first, Pool& pool) {
        (pool.*before != nullptr ? pool.*before->*next : first) = pool.*next;
        if (pool.*next != nullptr) {
            pool.*next->*before = pool.*before;
        }
    }
};
using OwnedPools = PoolList<&Pool::owned_next, &Pool::owned_before>;
using ListedPools = PoolList<&Pool::listed_next, &Pool::listed_before>;

}  // namespace malloom::heaps
