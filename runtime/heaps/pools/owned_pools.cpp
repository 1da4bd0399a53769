// The pools that a thread owns: which of them its clients' magazines are filled from, and when they go
// back. disown is under the pool's lock.
#include "checks/check.h"
#include "runtime/heaps/pools/open_magazine.h"
#include "runtime/heaps/pools/pool_heap.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

// The smallest pool of a client has room for a few chunks.
constexpr uint32_t least_chunks = 4;

unsigned first_order(size_t chunk_bytes) {
    unsigned order = 0;
    while (range_bytes(order) < least_chunks * chunk_bytes) {
        ++order;
    }
    return order;
}

}  // namespace

void PoolHeap::own(PoolThread& self, Pool& pool, uint32_t client) {
    LocalPools& local = self.local(client);
    const Locked locked(pool.lock);
    pool.client = client;
    pool.set_state(PoolState::listed);
    pool.returned = 0;
    local.is_kept = false;
    local.living += pool.out - pool.reserved;
    local.owned_bytes += range_bytes(pool.order);
    OwnedPools::add(local.owned, pool);
    ListedPools::add(local.listed, pool);
    arena_.set_top(pool, &self.top(client));
    __atomic_store_n(&pool.owner, &self, __ATOMIC_RELEASE);
}

void PoolHeap::disown(PoolThread& self, Pool& pool) {
    unlist(self, pool);
    LocalPools& local = self.local(pool.client);
    OwnedPools::remove(local.owned, pool);
    local.owned_bytes -= range_bytes(pool.order);
    local.living -= pool.out - pool.reserved + pool.returned;
}

void PoolHeap::list(PoolThread& self, Pool& pool) {
    pool.set_state(PoolState::listed);
    ListedPools::add(self.local(pool.client).listed, pool);
}

void PoolHeap::unlist(PoolThread& self, Pool& pool) {
    if (pool.state() == PoolState::listed) {
        ListedPools::remove(self.local(pool.client).listed, pool);
    } else if (pool.state() == PoolState::spare) {
        ListedPools::remove(self.spare(class_of(pool)), pool);
        self.spare_bytes -= range_bytes(pool.order);
    }
    pool.set_state(PoolState::full);
}

Pool* PoolHeap::next_pool(PoolThread& self, uint32_t client) {
    take_deferred();
    take_pending(self);
    LocalPools& local = self.local(client);
    const bool may_borrow = tables_->clients[client].pool_order == 0;
    for (;;) {
        Pool* pool = local.listed;
        if (pool == nullptr && may_borrow) {
            pool = lend(self, client);
        }
        if (pool == nullptr) {
            pool = adopt_any(self, client);
        }
        if (pool == nullptr) {
            pool = make_pool(self, client);
        }
        if (pool == nullptr || !unlist_if_full(self, *pool)) {
            return pool;
        }
    }
}

// False where it has chunks.
bool PoolHeap::unlist_if_full(PoolThread& self, Pool& pool) {
    const Locked locked(pool.lock);
    if (pool.has_chunk()) {
        return false;
    }
    unlist(self, pool);
    return true;
}

Pool* PoolHeap::make_pool(PoolThread& self, uint32_t client) {
    const Client& common = tables_->clients[client];
    const uint32_t chunk_bytes = __atomic_load_n(&common.chunk_bytes, __ATOMIC_ACQUIRE);
    LocalPools& local = self.local(client);
    const unsigned least = first_order(chunk_bytes);
    // All that it had went back: the last was too large.
    const unsigned next = local.owned == nullptr && local.order >= 2 ? local.order - 2U : local.order;
    const unsigned most = arena_.largest_order();
    const unsigned wanted = next < most ? next : most;
    unsigned order = common.pool_order != 0 ? common.pool_order - 1U : wanted < least ? least : wanted;
    const PoolShape shape = {chunk_bytes, common.pool_order != 0, is_packed_, common.objects};
    const Locked locked(arena_.lock);
    Pool* pool = arena_.take(order, shape);
    while (pool == nullptr && common.pool_order == 0 && order > least) {
        --order;
        pool = arena_.take(order, shape);
    }
    if (pool != nullptr) {
        local.order = static_cast<uint8_t>(order + 1 < pool_orders ? order + 1 : order);
        own(self, *pool, client);
    }
    return pool;
}

// A pool that is mostly free, another client's so far. What of it is in that one's magazine goes back
// first; it may become empty by that, and leave.
Pool* PoolHeap::lend(PoolThread& self, uint32_t client) {
    const size_t size_class = class_of(chunk_bytes(client));
    for (;;) {
        Pool* pool = self.spare(size_class);
        if (pool == nullptr) {
            return nullptr;
        }
        if (pool->is_over) {
            give_back_or_reset(self, *pool);
            continue;
        }
        const uint32_t lender = pool->client;
        if (lender == client) {
            unlist(self, *pool);
            list(self, *pool);
            return pool;
        }
        OpenMagazine magazine(*this, self, lender);
        if (!magazine.flush()) {
            return nullptr;
        }
        if (self.spare(size_class) == pool) {
            {
                const Locked locked(pool->lock);
                if (!arena_.is_at_rest(*pool)) {
                    return nullptr;
                }
                disown(self, *pool);
            }
            own(self, *pool, client);
            return pool;
        }
    }
}

// After chunks came back to it.
void PoolHeap::look_after(PoolThread& self, Pool& pool) {
    LocalPools& local = self.local(pool.client);
    bool is_done = false;
    bool has_chunk = false;
    bool is_spare = false;
    {
        const Locked locked(pool.lock);
        local.living -= pool.returned;
        pool.returned = 0;
        is_done = pool.is_over || (pool.is_empty() && !local.is_kept);
        has_chunk = pool.has_chunk();
        is_spare = pool.is_mostly_free() && pool.reserved == 0 && &pool != local.listed &&
                   tables_->clients[pool.client].pool_order == 0;
    }
    if (is_done) {
        give_back(self, pool);
    } else if (pool.state() == PoolState::full && has_chunk) {
        list(self, pool);
    } else if (pool.state() == PoolState::listed && is_spare) {
        unlist(self, pool);
        pool.set_state(PoolState::spare);
        ListedPools::add(self.spare(class_of(pool)), pool);
        self.spare_bytes += range_bytes(pool.order);
    }
}

void PoolHeap::look_at_given(PoolThread& self, uint32_t client) {
    LocalPools& local = self.local(client);
    if (!__atomic_load_n(&local.was_given, __ATOMIC_RELAXED)) {
        return;
    }
    __atomic_store_n(&local.was_given, false, __ATOMIC_RELAXED);
    for (Pool* pool = local.owned; pool != nullptr;) {
        Pool* next = pool->owned_next;
        look_after(self, *pool);
        pool = next;
    }
}

// False where it is pending: it stays until that is looked at.
bool PoolHeap::give_back(PoolThread& self, Pool& pool) {
    const Locked locked(arena_.lock);
    {
        const Locked pool_locked(pool.lock);
        if (pool.is_pending) {
            return false;
        }
        disown(self, pool);
    }
    arena_.give_back(pool);
    return true;
}

// What is out of it is not any more.
void PoolHeap::give_back_or_reset(PoolThread& self, Pool& pool) {
    if (!give_back(self, pool)) {
        const Locked locked(pool.lock);
        self.local(pool.client).living -= pool.out - pool.reserved + pool.returned;
        arena_.reset(pool);
        unlist(self, pool);
        list(self, pool);
    }
}

// Of which nothing lives.
void PoolHeap::give_back_all(PoolThread& self, uint32_t client) {
    for (Pool* pool = self.local(client).owned; pool != nullptr;) {
        Pool* next = pool->owned_next;
        give_back_or_reset(self, *pool);
        pool = next;
    }
    MALLOOM_CHECK_FULL(is_valid(self, client));
}

}  // namespace malloom::heaps
