// Objects that another thread frees than the one that owns their pool: how they come back to the pool, and
// how its owner comes to know.
#include "runtime/heaps/pools/pool_heap.h"

namespace malloom::heaps {

using structures::Locked;

// Whoever makes it free first is right; the owner, who uses no locked instruction, notices when the chunk
// comes back to it in another state (PoolArena::take_chunks).
void PoolHeap::release_foreign(PoolThread& self, Pool& pool, void* object) {
    uint8_t* state = arena_.state_of(object);
    uint8_t was = __atomic_load_n(state, __ATOMIC_RELAXED);
    do {
        if (is_checked && !ChunkState::is_object(was)) {
            arena_.misused(Misuse::freed_twice, object, &pool);
        }
    } while (!__atomic_compare_exchange_n(state, &was, ChunkState::in_pool, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    if (self.is_busy) {
        defer(pool, object);
        return;
    }
    const BusyScope busy(self);
    give_to_pool(pool, object);
    arena_.trim();
}

void PoolHeap::give_to_pool(Pool& pool, void* object) {
    bool is_orphan = false;
    {
        const Locked locked(pool.lock);
        arena_.put_chunk(pool, object);
        arena_.count_out(pool, -1);
        is_orphan = pool.owner == nullptr;
        if (!is_orphan) {
            ++pool.returned;
            __atomic_store_n(&pool.owner->local(pool.client).was_given, true, __ATOMIC_RELAXED);
            make_pending(pool);
        }
    }
    if (is_orphan) {
        look_after_orphan(pool);
    }
}

// Who frees while its thread is within the heap may be a signal handler: the locks may be its own thread's.
void PoolHeap::defer(const Pool& pool, void* object) {
    if (pool.is_spread) {
        defer_spread(object);
        return;
    }
    auto* link = static_cast<void**>(object);
    *link = __atomic_load_n(&deferred_, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(&deferred_, link, object, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
}

// Its address is one of a place where others' fields lie. What finds no room here is not used again.
void PoolHeap::defer_spread(void* object) {
    for (void*& place : deferred_spread_) {
        void* nothing = nullptr;
        if (__atomic_compare_exchange_n(&place, &nothing, object, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
            __atomic_store_n(&has_deferred_spread_, true, __ATOMIC_RELEASE);
            return;
        }
    }
}

void PoolHeap::take_all_deferred() {
    if (__atomic_exchange_n(&has_deferred_spread_, false, __ATOMIC_ACQUIRE)) {
        for (void*& place : deferred_spread_) {
            if (void* spread = __atomic_exchange_n(&place, nullptr, __ATOMIC_ACQUIRE)) {
                give_to_pool(*arena_.pool_of(spread), spread);
            }
        }
    }
    void* object = __atomic_exchange_n(&deferred_, nullptr, __ATOMIC_ACQUIRE);
    while (object != nullptr) {
        void* next = *static_cast<void**>(object);
        give_to_pool(*arena_.pool_of(object), object);
        object = next;
    }
}

// Under the pool's lock.
void PoolHeap::make_pending(Pool& pool) {
    if (pool.state() != PoolState::full || pool.is_pending) {
        return;
    }
    pool.is_pending = true;
    Pool*& top = pool.owner->pending;
    pool.pending_next = __atomic_load_n(&top, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&top, &pool.pending_next, &pool, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

void PoolHeap::take_pending(PoolThread& self) {
    if (__atomic_load_n(&self.pending, __ATOMIC_RELAXED) == nullptr) {
        return;
    }
    Pool* pool = __atomic_exchange_n(&self.pending, nullptr, __ATOMIC_ACQUIRE);
    while (pool != nullptr) {
        Pool* next = pool->pending_next;
        {
            const Locked locked(pool->lock);
            pool->is_pending = false;
        }
        look_after(self, *pool);
        pool = next;
    }
}

}  // namespace malloom::heaps
