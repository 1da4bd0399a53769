#include "runtime/heaps/pool_family.h"

#include "runtime/platform/memory.h"

namespace malloom::heaps {

constinit PoolFamily pool_families[most_families] = {};

namespace {

constexpr uint32_t least_chunks = 4;

void list_orphan(Pool& pool) {
    Pool*& first = pool_families[pool.family].orphans;
    pool.is_listed = true;
    pool.listed_before = nullptr;
    pool.listed_next = first;
    if (first != nullptr) {
        first->listed_before = &pool;
    }
    first = &pool;
}

void unlist_orphan(Pool& pool) {
    if (!pool.is_listed) {
        return;
    }
    pool.is_listed = false;
    Pool*& first = pool_families[pool.family].orphans;
    (pool.listed_before != nullptr ? pool.listed_before->listed_next : first) = pool.listed_next;
    if (pool.listed_next != nullptr) {
        pool.listed_next->listed_before = pool.listed_before;
    }
}

}  // namespace

unsigned first_order(uint32_t chunk_bytes) {
    unsigned order = 0;
    while (range_bytes(order) < size_t{least_chunks} * chunk_bytes) {
        ++order;
    }
    return order;
}

void return_pool(Pool& pool) {
    __atomic_fetch_sub(&pool_families[pool.family].pools, 1, __ATOMIC_RELAXED);
    pool_arena.give_back(pool);
}

// What others have noted, its owner gives back.
static void return_owned(Pool& pool) {
    if (pool.state == PoolState::aside && !pool.foreign.bring_back()) {
        platform::discard_pages(reinterpret_cast<void*>(range_of(pool)), range_bytes(pool.order));
        pool.foreign.set_emptied();
        return;
    }
    pool.owner->give_back(pool);
}

void return_all(uint32_t family) {
    forget_magazines(family);
    for (size_t i = 0; i < pool_arena.pools_count(); ++i) {
        Pool& pool = pool_arena.pools()[i];
        if (pool.family != family || pool.state == PoolState::unused) {
            continue;
        }
        if (pool.state == PoolState::orphaned) {
            unlist_orphan(pool);
            return_pool(pool);
        } else {
            return_owned(pool);
        }
    }
}

void orphan(Pool& pool) {
    pool.state = PoolState::orphaned;
    pool_arena.set_top(pool, nullptr);
    __atomic_store_n(&pool.owner, nullptr, __ATOMIC_RELEASE);
    if (pool.free != nullptr || pool.carved < pool.capacity()) {
        list_orphan(pool);
    }
}

Pool* adopt_any(PoolThread& self, uint32_t family) {
    const structures::Locked locked(pool_arena.lock);
    Pool* pool = pool_families[family].orphans;
    if (pool != nullptr) {
        unlist_orphan(*pool);
        self.own(*pool);
    }
    return pool;
}

bool adopt(PoolThread& self, Pool& pool) {
    const structures::Locked locked(pool_arena.lock);
    if (__atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE) != nullptr) {
        return false;
    }
    unlist_orphan(pool);
    self.own(pool);
    return true;
}

}  // namespace malloom::heaps
