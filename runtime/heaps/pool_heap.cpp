#include "runtime/heaps/pool_heap.h"

#include "runtime/heaps/pool_family.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

uint32_t families_count = 1;
uint32_t unused_family = 0;  // plus one

// Threads that ask for a few objects of a family only are not worth a page each: where the family has several
// pools, another thread's first requests are left to the fallback.
constexpr uint32_t shared_at = 4;
constexpr uint32_t most_left = 32;

bool is_worth_a_pool(PoolShare& share, uint32_t family) {
    if (share.owned != nullptr || share.asked >= most_left ||
        __atomic_load_n(&pool_families[family].pools, __ATOMIC_RELAXED) < shared_at) {
        return true;
    }
    ++share.asked;
    return false;
}

// Pages become resident an eighth of the pool at a time, where that is more than a page.
void populate(Pool& pool, uintptr_t end) {
    const uintptr_t range = range_of(pool);
    const size_t step = range_bytes(pool.order) / Pool::parts;
    if (step > platform::page_bytes() && end - range > pool.populated * step) {
        platform::populate_pages(reinterpret_cast<void*>(range + pool.populated * step), step);
        __atomic_store_n(&pool.populated, static_cast<uint8_t>(pool.populated + 1), __ATOMIC_RELAXED);
        pool_arena.gather(pool);
    }
}

// Puts the next untouched chunks on the stack, a page's worth at a time.
bool carve(Pool& pool) {
    const uint32_t left = pool.capacity() - pool.carved;
    if (left == 0) {
        return false;
    }
    const auto in_page = static_cast<uint32_t>(platform::page_bytes() / pool.chunk_bytes);
    const uint32_t most = in_page == 0 ? 1 : in_page;
    const uint32_t count = left < most ? left : most;
    const uintptr_t first = pool.start + uint64_t{pool.carved} * pool.chunk_bytes;
    uintptr_t at = first;
    populate(pool, first + uint64_t{count} * pool.chunk_bytes);
    for (uint32_t i = 1; i < count; ++i, at += pool.chunk_bytes) {
        reinterpret_cast<PoolChunk*>(at)->next = reinterpret_cast<PoolChunk*>(at + pool.chunk_bytes);
    }
    reinterpret_cast<PoolChunk*>(at)->next = nullptr;
    pool.free = reinterpret_cast<PoolChunk*>(first);
    pool.carved += count;
    return true;
}

// Whether the pool has a free chunk now.
bool refill(Pool& pool) {
    if (pool.free != nullptr) {
        if (!holds(pool, pool.free)) {
            platform::abort_with("malloom: a free object was written to");
        }
        return true;
    }
    if (PoolThread::take_foreign(pool)) {
        return true;
    }
    return pool_families[pool.family].is_for_runs ? pool.carved < pool.capacity() : carve(pool);
}

Pool* make_pool(PoolThread& self, uint32_t family) {
    PoolFamily& common = pool_families[family];
    PoolShare& share = self.share(family);
    const uint32_t chunk_bytes = __atomic_load_n(&common.chunk_bytes, __ATOMIC_ACQUIRE);
    const unsigned least = first_order(chunk_bytes);
    // All that it had went back: the last was too large. cc1, where hundreds of families have one object at a
    // time, would otherwise give 1 MiB back and get it again for each.
    const unsigned next = share.owned == nullptr && share.order >= 2 ? share.order - 2U : share.order;
    const unsigned order = next < least ? least : next;
    const Locked locked(pool_arena.lock);
    Pool* pool = pool_arena.take(order, family, chunk_bytes);
    if (pool != nullptr) {
        __atomic_fetch_add(&common.pools, 1, __ATOMIC_RELAXED);
        share.order = static_cast<uint8_t>(order + 1 < pool_orders ? order + 1 : order);
        self.own(*pool);
    }
    return pool;
}

// The current pool is used up, or there is none. The pools that serve may be used up too, since what frees go
// to becomes the current one; those in front are set aside now.
Pool* next_pool(PoolThread& self, uint32_t family) {
    self.take_noted();
    PoolShare& share = self.share(family);
    for (;;) {
        Pool* pool = share.available;
        if (pool == nullptr) {
            pool = adopt_any(self, family);
        }
        if (pool == nullptr) {
            pool = is_worth_a_pool(share, family) ? make_pool(self, family) : nullptr;
        }
        if (pool == nullptr) {
            return nullptr;
        }
        if (refill(*pool)) {
            self.current(family) = pool;
            return pool;
        }
        self.set_aside(*pool);
    }
}

// False where it is not, and another thread's stack is the place for it.
bool release_own(PoolThread& self, Pool& pool, void* object) {
    const BusyScope busy(&self);
    if (__atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE) == nullptr && !adopt(self, pool)) {
        return false;
    }
    if (__atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE) != &self ||
        (pool.state == PoolState::aside && !self.bring_back(pool))) {
        return false;
    }
    if (pool.free == object) {
        platform::abort_with("malloom: an object was freed twice");
    }
    if (push(pool, object)) {
        self.keep(pool);
    }
    return true;
}

void release_foreign(Pool& pool, void* object) {
    const uint32_t empty_at = pool.order >= 2 ? pool.capacity() : ~uint32_t{0};
    const auto duty = pool.foreign.push(pool.start, static_cast<PoolChunk*>(object), empty_at);
    if (duty.empty) {
        platform::discard_pages(reinterpret_cast<void*>(range_of(pool)), range_bytes(pool.order));
        pool.foreign.set_emptied();
    }
    if (duty.note) {
        __atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE)->note(pool);
    }
}

}  // namespace

bool PoolHeap::open() {
    if (!pool_arena.open()) {
        return false;
    }
    watch_threads_end();
    return true;
}

void PoolHeap::prefer_huge_pages() {
    pool_arena.prefer_huge_pages();
}

uint32_t PoolHeap::add(size_t bytes) {
    return add_family(bytes, false);
}

uint32_t PoolHeap::add_for_runs(size_t bytes) {
    return add_family(bytes, true);
}

uint32_t PoolHeap::add_family(size_t bytes, bool is_for_runs) {
    const size_t chunk_bytes = chunk_for(bytes);
    if (bytes > largest_chunk || pool_arena.pools() == nullptr) {
        return none;
    }
    const Locked locked(pool_arena.lock);
    uint32_t family = unused_family - 1;
    if (unused_family != 0) {
        unused_family = pool_families[family].next_unused;
    } else if (families_count < most_families) {
        family = families_count;
        ++families_count;
        add_to_tables(family);
    } else {
        return none;
    }
    pool_families[family].is_for_runs = is_for_runs;
    __atomic_store_n(&pool_families[family].chunk_bytes, static_cast<uint32_t>(chunk_bytes),
                     __ATOMIC_RELEASE);
    return family;
}

void PoolHeap::destroy(uint32_t family) {
    const Locked locked(pool_arena.lock);
    if (chunk_bytes(family) != 0) {
        __atomic_store_n(&pool_families[family].chunk_bytes, 0, __ATOMIC_RELEASE);
        return_all(family);
        pool_families[family].next_unused = unused_family;
        unused_family = family + 1;
    }
}

size_t PoolHeap::chunk_bytes(uint32_t family) {
    return family < most_families ? __atomic_load_n(&pool_families[family].chunk_bytes, __ATOMIC_ACQUIRE) : 0;
}

void* PoolHeap::allocate(uint32_t family) {
    PoolThread* self = own_thread();
    if (self == nullptr || chunk_bytes(family) == 0) {
        return nullptr;
    }
    const BusyScope busy(self);
    Pool* pool = self->current(family);
    if (pool == &no_pool || !refill(*pool)) {
        pool = next_pool(*self, family);
    }
    return pool != nullptr ? pop(*pool) : nullptr;
}

void PoolHeap::keep(PoolThread* self, Pool* pool) {
    self->keep(*pool);
    leave_pools(self);
}

void* PoolHeap::take_run(PoolThread& self, uint32_t family, uint32_t& count) {
    Pool* pool = self.current(family);
    if (pool == &no_pool || !refill(*pool)) {
        pool = next_pool(self, family);
    }
    if (pool == nullptr || pool->free != nullptr) {
        count = pool != nullptr;
        return pool != nullptr ? pop(*pool) : nullptr;
    }
    const uint32_t left = pool->capacity() - pool->carved;
    count = count < left ? count : left;
    const uintptr_t first = pool->start + uint64_t{pool->carved} * pool->chunk_bytes;
    populate(*pool, first + uint64_t{count} * pool->chunk_bytes);
    pool->carved += count;
    ++pool->living;
    return reinterpret_cast<void*>(first);
}

void PoolHeap::release_any(void* object) {
    Pool* pool = pool_arena.find(object);
    if (!holds(*pool, object)) {
        platform::abort_with("malloom: free of what is no object of a pool");
    }
    PoolThread* self = own_thread();
    if (self == nullptr || !release_own(*self, *pool, object)) {
        release_foreign(*pool, object);
    }
}

}  // namespace malloom::heaps
