// The address range that all pools lie in. An address gives its pool by one load from a map of granules,
// and by another its owner's magazine.
#pragma once

#include "runtime/heaps/huge_page_pace.h"
#include "runtime/heaps/pool.h"
#include "runtime/structures/growing_range.h"
#include "runtime/structures/thread_lock.h"

namespace malloom::heaps {

constexpr unsigned pool_granule_shift = 14;
constexpr size_t smallest_range = size_t{1} << pool_granule_shift;  ///< bytes of the smallest pool
constexpr unsigned pool_orders = 7;                                 ///< each twice the one before: to 1 MiB
constexpr size_t largest_range = smallest_range << (pool_orders - 1);

constexpr size_t range_bytes(unsigned order) {
    return smallest_range << order;
}

/// Where the pool's range begins.
inline uintptr_t range_of(const Pool& pool) {
    return pool.start & ~(smallest_range - 1);
}

/// Stands in the map where no pool is. It is of no thread and has no chunks.
extern constinit Pool no_pool_there [[gnu::visibility("hidden")]];

/// One per process, since its threads have one table of pools each. All zero until open succeeds.
class PoolArena {
  public:
    /// Reserves the range; once. False where address space is too short.
    bool open();

    /// The pool that the address lies in, or no_pool_there. Any pointer. Thread-safe.
    [[gnu::always_inline]] Pool* find(const void* object) const {
        return covers(object) ? find_covered(object) : &no_pool_there;
    }
    /// The same in two steps, for those who go another way at the first. Thread-safe.
    [[gnu::always_inline]] bool covers(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - ranges_.base() < ranges_.usable();
    }
    [[gnu::always_inline]] Pool* find_covered(const void* object) const {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - ranges_.base();
        return __atomic_load_n(map() + (offset >> pool_granule_shift), __ATOMIC_ACQUIRE);
    }

    /// The top of the magazine that the chunks go to when their owner frees them; null where no thread owns
    /// them. Thread-safe: others only compare it.
    [[gnu::always_inline]] uint64_t* top_of_covered(const void* object) const {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - ranges_.base();
        return __atomic_load_n(tops() + (offset >> pool_granule_shift), __ATOMIC_RELAXED);
    }
    void set_top(const Pool& pool, uint64_t* top);

    structures::ThreadLock lock;  ///< of all that follows, and of families and orphans

    /// A pool of the family with a range of that order and nothing carved; null without memory.
    Pool* take(unsigned order, uint32_t family, uint32_t chunk_bytes);
    /// Its objects are gone. Keeps the pages of some for the next.
    void give_back(Pool& pool);

    /// See PoolHeap; before there are further threads.
    void prefer_huge_pages();
    /// Where the pool is all resident and its neighbour too, both become one huge page if these are
    /// preferred, and not too slow lately (HugePagePace).
    void gather(const Pool& pool);

    /// Every descriptor that was ever used.
    Pool* pools() const { return reinterpret_cast<Pool*>(descriptors_.base()); }
    size_t pools_count() const { return count_; }

    /// Where the range begins, and how long it may become.
    uintptr_t base() const { return ranges_.base(); }
    size_t bytes() const { return ranges_.bytes(); }

    size_t held_bytes() const { return held_; }

  private:
    struct Order {
        Pool* resident;    ///< unused ranges with pages
        Pool* discarded;   ///< unused ranges without
        uintptr_t cursor;  ///< where the next fresh range begins
        uintptr_t end;     ///< of the block that fresh ranges come from
    };

    Pool** map() const { return reinterpret_cast<Pool**>(map_.base()); }
    uint64_t** tops() const { return reinterpret_cast<uint64_t**>(tops_.base()); }
    Pool* take_unused(unsigned order);
    Pool* take_fresh(unsigned order);
    bool extend(Order& order);
    void set_map(uintptr_t range, size_t bytes, Pool* value);
    void discard_surplus();

    structures::GrowingRange ranges_;
    structures::GrowingRange map_;
    structures::GrowingRange tops_;  // by the same granules
    structures::GrowingRange descriptors_;
    Order orders_[pool_orders] = {};
    size_t blocks_ = 0;    ///< of largest_range bytes, ever taken from the range
    size_t count_ = 0;     ///< descriptors
    size_t held_ = 0;      ///< bytes of ranges in use
    size_t resident_ = 0;  ///< bytes of unused ranges with pages
    bool prefers_huge_pages_ = false;
    HugePagePace huge_page_pace_;
};

extern constinit PoolArena pool_arena [[gnu::visibility("hidden")]];

}  // namespace malloom::heaps
