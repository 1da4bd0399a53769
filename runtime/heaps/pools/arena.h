// The address range that all pools of a heap lie in, and the tables beside it. An address gives its pool, its
// owner's magazine, its chunk's state and its page by one load each.
//
// Pages are resident as they are touched. A resident page without a chunk that is out is idle; idle pages are
// bounded over the whole heap (most_idle), wherever they lie.
#pragma once

#include "runtime/heaps/pools/huge_pages.h"
#include "runtime/heaps/pools/pace.h"
#include "runtime/heaps/pools/pages.h"
#include "runtime/heaps/pools/pool.h"
#include "runtime/structures/growing_range.h"

namespace malloom::heaps {

/// Where the state of a granule lies: by its number, whose lowest byte is turned by two bits. So the states
/// of four neighbours lie in four cache lines, and those of the chunks of 4 KiB that are multiples of 64
/// bytes apart in one.
[[gnu::always_inline]] inline uint64_t state_place(uint64_t granule) {
#if defined(__x86_64__)
    __asm__("rorb $2, %b0" : "+q"(granule) : : "cc");
    return granule;
#else
    const auto low = static_cast<uint8_t>(granule);
    return granule - low + static_cast<uint8_t>(low >> 2 | low << 6);
#endif
}
/// Bytes whose states lie together: ranges of pools are multiples of it.
constexpr size_t state_block = 256 * granule_bytes;
static_assert(smallest_range % state_block == 0);

/// What was wrong with an address that was freed.
enum class Misuse : uint8_t {
    freed_twice,
    freed_by_two,  ///< threads at once; found when the chunk comes back or is to be given out again
    within_chunk,
    no_chunk,
};
/// Ends the program, with a line that says what the composition knows. `client` is of the pool, 0 where
/// there is none.
using OnMisuse = void (*)(Misuse misuse, const void* object, uint32_t client);

/// How a pool's chunks lie in its range.
struct PoolShape {
    uint32_t chunk_bytes;
    bool is_plain;   ///< the first chunk begins where the range does: no colour
    bool is_packed;  ///< chunks of a line's size begin where lines do
    /// 0, or how many objects that lie anywhere in the range the first chunks stand for. The pool's pages
    /// come and go together then.
    uint32_t objects;
};

/// All zero until open succeeds. Thread-safe where nothing else is said.
class PoolArena {
  public:
    /// Finds address space, of that size at most; once. False where it is too short.
    bool open(size_t most_bytes);
    /// Gives all back. Nobody may be using it.
    void close();
    /// The same, but the pages of pools with objects stay for good, and these as they are.
    void close_but_objects();
    bool is_open() const { return ranges_.bytes() != 0; }

    [[gnu::always_inline]] bool covers(const void* object) const {
        return ranges_.holds(reinterpret_cast<uintptr_t>(object));
    }
    /// The pool that the address lies in, or null. Any pointer.
    Pool* find(const void* object) const { return covers(object) ? pool_of(object) : nullptr; }
    /// The same of an address that the arena covers.
    Pool* pool_of(const void* object) const {
        return __atomic_load_n(map() + (offset_of(object) >> pool_unit_shift), __ATOMIC_ACQUIRE);
    }

    /// The granule of an address, or a number of at least `granules` where it lies elsewhere or is no
    /// multiple of granule_bytes.
    [[gnu::always_inline]] uint64_t granule_of(const void* object) const {
        const uintptr_t offset = offset_of(object);
        return offset >> granule_shift | offset << (64 - granule_shift);
    }
    [[gnu::always_inline]] uint64_t granules() const { return __atomic_load_n(&granules_, __ATOMIC_RELAXED); }
    [[gnu::always_inline]] uint8_t* state_of_granule(uint64_t granule) const {
        return reinterpret_cast<uint8_t*>(states_.base()) + state_place(granule);
    }
    /// Of a chunk.
    [[gnu::always_inline]] uint8_t* state_of(const void* chunk) const {
        return reinterpret_cast<uint8_t*>(state_origin_ +
                                          state_place(reinterpret_cast<uintptr_t>(chunk) >> granule_shift));
    }
    /// The top of the magazine of the thread and client that the granule's pool is of; null where it has
    /// none.
    [[gnu::always_inline]] uint64_t* top_of_granule(uint64_t granule) const {
        return __atomic_load_n(tops() + (granule >> (pool_unit_shift - granule_shift)), __ATOMIC_RELAXED);
    }
    void set_top(const Pool& pool, uint64_t* top);

    void on_misuse(OnMisuse ends_program) { on_misuse_ = ends_program; }
    /// Ends the program. The pool may be null.
    [[noreturn]] void misused(Misuse misuse, const void* object, const Pool* pool) const;

    structures::ForkLock lock;  ///< of all that is said to be under it

    /// A pool with a range of that order and nothing carved; null without memory. Under the lock.
    Pool* take(unsigned order, PoolShape shape);
    /// It is empty, and in no list. Under the lock.
    void give_back(Pool& pool);
    /// Makes the pool as new: all that is out is not any more. Under the pool's lock.
    void reset(Pool& pool);

    /// Takes up to `most` chunks out of the pool, which has some, into places from `last` downwards, the
    /// first in `last`: those given back before that lie lowest, else the next untouched ones. Says how many.
    /// Under the pool's lock.
    uint32_t take_chunks(Pool& pool, uint32_t most, uint64_t* last);
    /// The next untouched chunks, up to so many, neighbours: the first one; `count` says how many. Null where
    /// all were carved. Under the pool's lock.
    void* carve(Pool& pool, uint32_t& count);
    /// The chunk is not out any more; its state is in_pool already. count_out has to follow. Under the pool's
    /// lock.
    void put_chunk(Pool& pool, const void* chunk);
    /// The same of objects, up to the first that does not lie in the pool: says how many they are, and their
    /// states become in_pool.
    uint32_t put_chunks(Pool& pool, const uint64_t* chunks, uint32_t count);
    /// Whether the pool, which is in use, lies in its range with its chunks, is found there, and its counts
    /// and free bits agree. Goes through the bits of all chunks. Under the pool's lock.
    bool is_valid(const Pool& pool) const noexcept;
    /// Whether each byte of the blocks taken so far is in the range of one pool or waits to be, and each pool
    /// is found in its range or waits to be used again. Goes through all pools. Under the lock.
    bool is_valid() const noexcept;
    /// Whether each chunk that is out of the pool, none of it reserved or in a magazine, is an object: one
    /// that is none is on its way, and the thread was interrupted in its fast path. Under the pool's lock.
    bool is_at_rest(const Pool& pool) const;
    /// So many more chunks are out, or fewer.
    void count_out(const Pool& pool, int64_t chunks);

    /// In the child of a fork, where others may have been changing the pool: counts it anew by its chunks'
    /// states; or gives its free chunks up, and its pages stay. recount_all follows when all pools are done.
    void recount(Pool& pool);
    void freeze(Pool& pool);
    void recount_all();

    /// Gives idle pages back where they are too many. Under no lock.
    void trim();

    size_t idle_bytes() const { return pages_.idle_bytes(); }
    /// Bytes of pages that went back to the system so far.
    uint64_t given_back_bytes() const { return pages_.given_back(); }
    size_t out_bytes() const { return __atomic_load_n(&out_, __ATOMIC_RELAXED); }
    /// A sixteenth of what is out, or 1 MiB, whichever is more.
    size_t reserve() const;
    /// Idle pages may be so many bytes.
    size_t most_idle() const;
    /// Of the largest range that a growing client is to ask for. Thread-safe.
    unsigned largest_order() const {
        return pool_orders - 1U - __atomic_load_n(&orders_less_, __ATOMIC_RELAXED);
    }

    /// From now on blocks are huge pages, where the system makes them at request. One of them may be idle
    /// beside the rest.
    void prefer_huge_pages() {
        if (huge_pages_.are_allowed()) {
            huge_pages_.prefer();
        }
    }
    /// The same once one of them is no more than may be idle anyway. The system is asked now: when that is so
    /// the process may have forbidden itself to.
    void prefer_huge_pages_when_large() { waits_for_huge_pages_ = huge_pages_.are_allowed(); }

    /// Every descriptor that was ever used.
    Pool* pools() const { return reinterpret_cast<Pool*>(descriptors_.base()); }
    size_t pools_count() const { return count_; }
    uintptr_t base() const { return ranges_.base(); }
    size_t bytes() const { return ranges_.bytes(); }

  private:
    struct Order {
        Pool* unused;    ///< with a range of this order
        uintptr_t half;  ///< a range that no pool has had yet, the other half of one that was divided; or 0
    };
    /// Of a size class: one pool may be open, its largest so far.
    struct SizeClass {
        uint32_t pools;  ///< in use
        uint8_t order;   ///< of the largest since there were none
    };
    // A byte of free bits for so many bytes of the arena.
    static constexpr size_t bytes_per_bits = granule_bytes * 8;

    uintptr_t offset_of(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - ranges_.base();
    }
    Pool** map() const { return reinterpret_cast<Pool**>(map_.base()); }
    uint64_t** tops() const { return reinterpret_cast<uint64_t**>(tops_.base()); }
    uint64_t* free_bits(const Pool& pool) const {
        return reinterpret_cast<uint64_t*>(bits_.base() + (range_of(pool) - ranges_.base()) / bytes_per_bits);
    }
    void set_free(Pool& pool, const uint64_t* chunks, uint32_t count);
    uint32_t take_freed(Pool& pool, uint32_t count, uint64_t* last);
    bool open_tables(size_t bytes);
    void close_tables();
    bool has_object(const Pool& pool) const;
    bool reach(size_t usable);
    bool reach_ranges(size_t usable);
    bool grow(size_t bytes);
    Pool* take_fresh(unsigned order);
    Pool* divide_unused(unsigned order);
    bool may_divide(unsigned order, unsigned larger);
    uintptr_t fresh_range(unsigned order);
    uintptr_t fresh_block();
    bool is_found_or_unused(const Pool& pool) const noexcept;
    void set_map(const Pool& pool, Pool* value);
    void fill(Pool& pool, PoolShape shape);
    void begin_use(const Pool& pool);
    void end_use(const Pool& pool);
    void make_huge(uintptr_t block);
    void gather(const Pool& pool);
    bool is_resident(const Pool& filled, uintptr_t block) const;
    size_t slack() const;
    void note_taken(size_t bytes);
    void adapt();
    void adapt_slack(uint64_t given_back);
    void adapt_ranges(uint64_t given_back);
    void adapt_ranges_to_growth();
    void discard_of_some(size_t wanted);
    template <class IsMeant>
    void discard_of_pools(size_t wanted, IsMeant is_meant);
    void discard_idle(Pool& pool);
    void discard_tables(const Pool& pool);

    uint64_t granules_ = 0;       ///< of what is usable
    uintptr_t state_origin_ = 0;  ///< where the state of address 0 would lie
    platform::AddressSpan span_;  ///< all that follows lies in it
    size_t step_ = 0;             ///< bytes of ranges that become usable at a time
    Pace growth_;
    structures::GrowingRange ranges_;
    structures::GrowingRange map_;     ///< pools, by units of smallest_range
    structures::GrowingRange tops_;    ///< tops of magazines, likewise
    structures::GrowingRange states_;  ///< ChunkState, by granules
    structures::GrowingRange bits_;    ///< of free chunks, by chunks of each pool
    structures::GrowingRange descriptors_;
    PoolPages pages_;
    HugePages huge_pages_;
    bool waits_for_huge_pages_ = false;
    Order orders_[pool_orders] = {};
    SizeClass classes_[size_classes] = {};
    /// How many bytes may be idle beside the rest, as much of what is given back is soon needed again;
    /// atomic.
    size_t slack_ = 0;
    uint64_t seen_given_back_ = 0;  ///< when that was looked at last
    uint64_t seen_needed_again_ = 0;
    uint64_t given_back_in_use_ = 0;  ///< since then: bytes of pages of ranges that still had objects
    size_t peak_ = 0;                 ///< of out_, in the recent past; atomic
    size_t taken_ = 0;                ///< bytes of ranges since that changed
    unsigned orders_less_ = 0;        ///< as ranges that keep few objects keep too much else; atomic
    size_t out_when_less_ = 0;        ///< out_ when they were last made so
    size_t open_bytes_ = 0;           ///< of the largest pools of all classes; atomic
    size_t blocks_ = 0;               ///< ever taken from the range
    size_t count_ = 0;                ///< descriptors
    size_t trimmed_ = 0;              ///< the descriptor that is looked at next
    uint64_t out_ = 0;                ///< bytes of chunks that are out
    OnMisuse on_misuse_ = nullptr;
};

}  // namespace malloom::heaps
