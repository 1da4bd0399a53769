// Beginnings and ends of threads, and forks: what becomes of pools whose owner is gone.
#include <new>

#include "checks/check.h"
#include "runtime/heaps/pools/open_magazine.h"
#include "runtime/heaps/pools/pool_heap.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

using structures::Locked;
using structures::ThreadLock;

void PoolHeap::add_stand_in(AbsentPoolThread& stand_in) {
    const Locked locked(arena_.lock);
    stand_in.close_all(clients_count_);
    (stand_ins_[0] == nullptr ? stand_ins_[0] : stand_ins_[1]) = &stand_in;
}

PoolThread* PoolHeap::join() {
    PoolThread* table = take_table();
    if (table != nullptr) {
        table->is_joined = true;
        table->is_busy = false;
    }
    return table;
}

PoolThread* PoolHeap::take_table() {
    const Locked locked(arena_.lock);
    PoolThread* table = idle_threads_;
    if (table != nullptr) {
        idle_threads_ = table->next_idle;
        return table;
    }
    table = tables_ != nullptr ? static_cast<PoolThread*>(platform::map_pages(PoolThread::table_bytes()))
                               : nullptr;
    if (table == nullptr) {
        return nullptr;
    }
    for (uint32_t client = 0; client < clients_count_; ++client) {
        table->top(client) = closed_top();
    }
    const uint32_t number = threads_count_ + 1;
    __atomic_store_n(&threads_count_, number, __ATOMIC_RELAXED);
    const bool has_own = number <= ChunkState::most_marks;
    table->mark = has_own ? static_cast<uint8_t>(number) : ChunkState::of_crowd;
    table->own = has_own ? table->mark : ChunkState::nobodys;
    table->next_table = all_threads_;
    all_threads_ = table;
    return table;
}

void PoolHeap::leave(PoolThread& self) {
    {
        const BusyScope busy(self);
        take_deferred();
        take_pending(self);
        for (uint32_t client = 0; client < __atomic_load_n(&clients_count_, __ATOMIC_RELAXED); ++client) {
            LocalPools& local = self.local(client);
            MALLOOM_CHECK_FULL(is_valid(self, client));
            leave_magazine(self, client);
            for (Pool* pool = local.owned; pool != nullptr;) {
                Pool* next = pool->owned_next;
                orphan(self, *pool);
                pool = next;
            }
            local.asked = 0;
            local.order = 0;
        }
    }
    self.cached_extra = 0;
    self.taking = self.putting = {};
    arena_.trim();
    const Locked locked(arena_.lock);
    self.is_joined = false;
    self.next_idle = idle_threads_;
    idle_threads_ = &self;
}

// A thread may end in a handler that interrupted it in its magazine: what is there is given up, as nobody
// can tell which of it was handed out.
void PoolHeap::leave_magazine(PoolThread& self, uint32_t client) {
    LocalPools& local = self.local(client);
    if (local.slots == nullptr) {
        return;
    }
    if (!OpenMagazine(*this, self, client).flush()) {
        local.slots = nullptr;
        local.limit = 0;
        local.magazine_order = 0;
        local.is_kept = false;
        __atomic_store_n(&self.top(client), closed_top(), __ATOMIC_SEQ_CST);
    }
    uncache(self, client);
}

// Pools that are pending stay with the table.
void PoolHeap::orphan(PoolThread& self, Pool& pool) {
    const Locked locked(arena_.lock);
    bool is_empty = false;
    bool has_chunk = false;
    {
        const Locked pool_locked(pool.lock);
        if (pool.is_pending) {
            return;
        }
        disown(self, pool);
        pool.returned = 0;
        pool.set_state(PoolState::orphan);
        // A handler may be freeing its objects until they are marked, or have interrupted who does.
        arena_.set_top(pool, &no_top_);
        __atomic_store_n(&pool.owner, nullptr, __ATOMIC_RELEASE);
        mark_all(pool, self.mark, ChunkState::of_orphan);
        is_empty = pool.is_empty() || pool.is_over;
        has_chunk = pool.has_chunk();
    }
    if (is_empty) {
        arena_.give_back(pool);
    } else if (has_chunk) {
        pool.is_pending = true;
        ListedPools::add(tables_->orphans[class_of(pool)], pool);
    }
}

// A thread that frees what others made comes to own pools that it has no use for: beyond so many bytes of
// mostly free ones, any thread may have them. What the magazine has of a pool goes back first; the pool may
// become empty by that, and leave.
void PoolHeap::share_spares(PoolThread& self, size_t size_class) {
    constexpr size_t most_spare = size_t{1} << 20;
    if (self.spare_bytes <= most_spare || __atomic_load_n(&threads_count_, __ATOMIC_RELAXED) == 1) {
        return;
    }
    for (Pool* pool = self.spare(size_class); pool != nullptr && self.spare_bytes > most_spare / 2;
         pool = self.spare(size_class)) {
        if (!OpenMagazine(*this, self, pool->client).flush()) {
            return;
        }
        if (self.spare(size_class) == pool && is_at_rest(*pool)) {
            orphan(self, *pool);
        }
        if (self.spare(size_class) == pool) {
            return;  // pending, or somebody whom this handler interrupted has a chunk of it in hand
        }
    }
}

bool PoolHeap::is_at_rest(Pool& pool) const {
    const Locked locked(pool.lock);
    return arena_.is_at_rest(pool);
}

// All its objects. Others may be freeing some.
void PoolHeap::mark_all(const Pool& pool, uint8_t from, uint8_t to) {
    for (uint32_t i = 0; i < pool.carved; ++i) {
        uint8_t* state = arena_.state_of(reinterpret_cast<void*>(chunk_at(pool, i)));
        uint8_t expected = from;
        if (__atomic_load_n(state, __ATOMIC_RELAXED) == from) {
            __atomic_compare_exchange_n(state, &expected, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        }
    }
}

// A chunk came back to it. Of an orphan `is_pending` says that it is among those that wait to be adopted.
void PoolHeap::look_after_orphan(Pool& pool) {
    const Locked locked(arena_.lock);
    if (pool.state() != PoolState::orphan) {
        return;
    }
    Pool*& first = tables_->orphans[class_of(pool)];
    pool.lock.lock();
    const bool is_empty = pool.is_empty();
    pool.lock.unlock();
    if (is_empty) {
        if (pool.is_pending) {
            ListedPools::remove(first, pool);
        }
        arena_.give_back(pool);
    } else if (!pool.is_pending) {
        pool.is_pending = true;
        ListedPools::add(first, pool);
    }
}

Pool* PoolHeap::adopt_any(PoolThread& self, uint32_t client) {
    constexpr unsigned most_looks = 32;
    const Locked locked(arena_.lock);
    Pool*& first = tables_->orphans[class_of_client(client)];
    const Client& wanting = tables_->clients[client];
    Pool* pool = first;
    // Of those whose pools are of one length, only their own.
    for (unsigned looks = most_looks; pool != nullptr && wanting.pool_order != 0 && pool->client != client;
         --looks) {
        pool = looks != 0 ? pool->listed_next : nullptr;
    }
    if (pool != nullptr) {
        ListedPools::remove(first, *pool);
        pool->is_pending = false;
        own(self, *pool, client);
        mark_all(*pool, ChunkState::of_orphan, self.mark);
        MALLOOM_CHECK_FULL(is_valid(self, client));
    }
    return pool;
}

// False where another was first, or may soon have a use for it.
bool PoolHeap::adopt(PoolThread& self, Pool& pool) {
    const Locked locked(arena_.lock);
    pool.lock.lock();
    const bool is_others = pool.state() != PoolState::orphan || pool.is_mostly_free();
    pool.lock.unlock();
    if (is_others) {
        return false;
    }
    if (pool.is_pending) {
        ListedPools::remove(tables_->orphans[class_of(pool)], pool);
        pool.is_pending = false;
    }
    own(self, pool, pool.client);
    mark_all(pool, ChunkState::of_orphan, self.mark);
    return true;
}

void PoolHeap::after_fork_in_child(PoolThread* self) {
    bool had_others = false;
    for (const PoolThread* table = all_threads_; table != nullptr; table = table->next_table) {
        had_others |= table != self && table->is_joined;
    }
    if (had_others) {
        deferred_ = nullptr;  // what was on its way shows in its state
        forget_deferred_spread();
        for (size_t i = 0; i < arena_.pools_count(); ++i) {
            inherit(self, arena_.pools()[i]);
        }
        arena_.recount_all();
        drop_tables_but(self);
    }
}

// The other threads were somewhere within the heap, and are not there any more: what they had locked is
// counted anew. Of their own pools the free chunks are given up, as the memory of a chunk that was just
// handed out may be newer than what says that it is free. What the child frees is used again.
//
// Where the forking thread is a signal handler that came within one of its own pools, that pool is as it was,
// and so is the lock: what was interrupted goes on when the handler returns.
void PoolHeap::inherit(PoolThread* self, Pool& pool) {
    if (pool.lock.is_mine() && (pool.owner == self || pool.owner == nullptr)) {
        return;
    }
    ::new (&pool.lock) ThreadLock();
    if (pool.state() == PoolState::unused) {
        return;
    }
    if (pool.owner != nullptr && pool.owner != self) {
        arena_.freeze(pool);
        mark_all(pool, pool.owner->mark, ChunkState::of_orphan);
        pool.owner = nullptr;
        pool.is_pending = false;
        pool.set_state(PoolState::orphan);
        arena_.set_top(pool, nullptr);
        return;
    }
    if (pool.owner == self && self != nullptr) {
        LocalPools& local = self->local(pool.client);
        local.living -= pool.out - pool.reserved + pool.returned;
        arena_.recount(pool);
        local.living += pool.out - pool.reserved;
        pool.returned = 0;
        pool.is_pending = false;
        if (pool.state() == PoolState::full && pool.has_chunk()) {
            list(*self, pool);
        }
        return;
    }
    arena_.recount(pool);
}

void PoolHeap::drop_tables_but(PoolThread* self) {
    while (all_threads_ != nullptr) {
        PoolThread* table = all_threads_;
        all_threads_ = table->next_table;
        if (table != self) {
            platform::unmap_pages(table, PoolThread::table_bytes());
        }
    }
    idle_threads_ = nullptr;
    all_threads_ = self;
    threads_count_ = 0;
    if (self != nullptr) {
        self->next_table = nullptr;
        self->pending = nullptr;
        // No object has another mark now. Without its own the thread counts as one.
        threads_count_ = self->mark <= ChunkState::most_marks ? self->mark : 1;
    }
}

}  // namespace malloom::heaps
