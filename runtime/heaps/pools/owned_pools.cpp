// The pools that a thread owns: which of them its borrowers' magazines are filled from, and when they go
// back. disown is under the pool's lock.
#include "checks/check.h"
#include "runtime/heaps/pools/open_magazine.h"
#include "runtime/heaps/pools/pool_heap.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

// The smallest pool of a borrower has room for a few chunks.
constexpr uint32_t least_chunks = 4;

unsigned first_order(size_t chunk_bytes) {
    unsigned order = 0;
    while (range_bytes(order) < least_chunks * chunk_bytes) {
        ++order;
    }
    return order;
}

}  // namespace

void PoolHeap::own(PoolThread& self, Pool& pool, uint32_t borrower) {
    PoolShare& share = self.share(borrower);
    const Locked locked(pool.lock);
    pool.borrower = borrower;
    pool.set_state(PoolState::listed);
    pool.returned = 0;
    share.is_kept = false;
    share.living += pool.out - pool.apart;
    share.owned_bytes += range_bytes(pool.order);
    OwnedPools::add(share.owned, pool);
    ListedPools::add(share.listed, pool);
    arena_.set_top(pool, &self.top(borrower));
    __atomic_store_n(&pool.owner, &self, __ATOMIC_RELEASE);
}

void PoolHeap::disown(PoolThread& self, Pool& pool) {
    unlist(self, pool);
    PoolShare& share = self.share(pool.borrower);
    OwnedPools::remove(share.owned, pool);
    share.owned_bytes -= range_bytes(pool.order);
    share.living -= pool.out - pool.apart + pool.returned;
}

void PoolHeap::list(PoolThread& self, Pool& pool) {
    pool.set_state(PoolState::listed);
    ListedPools::add(self.share(pool.borrower).listed, pool);
}

void PoolHeap::unlist(PoolThread& self, Pool& pool) {
    if (pool.state() == PoolState::listed) {
        ListedPools::remove(self.share(pool.borrower).listed, pool);
    } else if (pool.state() == PoolState::spare) {
        ListedPools::remove(self.spare(class_of(pool)), pool);
        self.spare_bytes -= range_bytes(pool.order);
    }
    pool.set_state(PoolState::full);
}

Pool* PoolHeap::next_pool(PoolThread& self, uint32_t borrower) {
    take_deferred();
    take_pending(self);
    PoolShare& share = self.share(borrower);
    const bool may_borrow = tables_->borrowers[borrower].pool_order == 0;
    for (;;) {
        Pool* pool = share.listed;
        if (pool == nullptr && may_borrow) {
            pool = lend(self, borrower);
        }
        if (pool == nullptr) {
            pool = adopt_any(self, borrower);
        }
        if (pool == nullptr) {
            pool = make_pool(self, borrower);
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

Pool* PoolHeap::make_pool(PoolThread& self, uint32_t borrower) {
    const Borrower& common = tables_->borrowers[borrower];
    const uint32_t chunk_bytes = __atomic_load_n(&common.chunk_bytes, __ATOMIC_ACQUIRE);
    PoolShare& share = self.share(borrower);
    const unsigned least = first_order(chunk_bytes);
    // All that it had went back: the last was too large.
    const unsigned next = share.owned == nullptr && share.order >= 2 ? share.order - 2U : share.order;
    unsigned order = common.pool_order != 0 ? common.pool_order - 1U : next < least ? least : next;
    const PoolShape shape = {chunk_bytes, common.pool_order != 0, is_packed_, common.objects};
    const Locked locked(arena_.lock);
    Pool* pool = arena_.take(order, shape);
    while (pool == nullptr && common.pool_order == 0 && order > least) {
        --order;
        pool = arena_.take(order, shape);
    }
    if (pool != nullptr) {
        share.order = static_cast<uint8_t>(order + 1 < pool_orders ? order + 1 : order);
        own(self, *pool, borrower);
    }
    return pool;
}

// A pool that is mostly free, another borrower's so far. What of it is in that one's magazine goes back
// first; it may become empty by that, and leave.
Pool* PoolHeap::lend(PoolThread& self, uint32_t borrower) {
    const size_t size_class = class_of(chunk_bytes(borrower));
    for (;;) {
        Pool* pool = self.spare(size_class);
        if (pool == nullptr) {
            return nullptr;
        }
        if (pool->is_over) {
            give_back_or_reset(self, *pool);
            continue;
        }
        const uint32_t lender = pool->borrower;
        if (lender == borrower) {
            unlist(self, *pool);
            list(self, *pool);
            return pool;
        }
        OpenMagazine magazine(*this, self, lender);
        if (!magazine.is_whole()) {
            return nullptr;
        }
        magazine.flush();
        if (self.spare(size_class) == pool) {
            {
                const Locked locked(pool->lock);
                disown(self, *pool);
            }
            own(self, *pool, borrower);
            return pool;
        }
    }
}

// After chunks came back to it.
void PoolHeap::look_after(PoolThread& self, Pool& pool) {
    PoolShare& share = self.share(pool.borrower);
    bool is_done = false;
    bool has_chunk = false;
    bool is_spare = false;
    {
        const Locked locked(pool.lock);
        share.living -= pool.returned;
        pool.returned = 0;
        is_done = pool.is_over || (pool.is_empty() && !share.is_kept);
        has_chunk = pool.has_chunk();
        is_spare = pool.is_mostly_free() && pool.apart == 0 && &pool != share.listed &&
                   tables_->borrowers[pool.borrower].pool_order == 0;
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

void PoolHeap::look_at_given(PoolThread& self, uint32_t borrower) {
    PoolShare& share = self.share(borrower);
    if (!__atomic_load_n(&share.was_given, __ATOMIC_RELAXED)) {
        return;
    }
    __atomic_store_n(&share.was_given, false, __ATOMIC_RELAXED);
    for (Pool* pool = share.owned; pool != nullptr;) {
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
        self.share(pool.borrower).living -= pool.out - pool.apart + pool.returned;
        arena_.reset(pool);
        unlist(self, pool);
        list(self, pool);
    }
}

// Of which nothing lives.
void PoolHeap::give_back_all(PoolThread& self, uint32_t borrower) {
    for (Pool* pool = self.share(borrower).owned; pool != nullptr;) {
        Pool* next = pool->owned_next;
        give_back_or_reset(self, *pool);
        pool = next;
    }
    MALLOOM_CHECK_FULL(is_valid(self, borrower));
}

}  // namespace malloom::heaps
