#include "runtime/heaps/pool_thread.h"

#include "runtime/heaps/pool_family.h"

namespace malloom::heaps {

namespace {

constexpr PoolThread stand_in() {
    PoolThread table = {};
    table.is_busy = true;
    return table;
}

}  // namespace

constinit thread_local PoolThread* pool_thread [[gnu::tls_model("initial-exec")]] = &no_thread;
constinit PoolThread no_thread = stand_in();
constinit PoolThread busy_thread = stand_in();
constinit PoolThread ended_thread = stand_in();
constinit Pool no_pool = {};

using structures::Locked;

namespace {

// Of empty pools that a thread keeps; the latest is kept however large it is.
constexpr size_t most_kept_bytes = size_t{256} << 10;

}  // namespace

void PoolThread::own(Pool& pool) {
    Pool*& first = share(pool.family).owned;
    pool.owned_before = nullptr;
    pool.owned_next = first;
    if (first != nullptr) {
        first->owned_before = &pool;
    }
    first = &pool;
    pool.state = PoolState::serving;
    __atomic_store_n(&pool.owner, this, __ATOMIC_RELEASE);
    list(pool);
}

void PoolThread::disown(Pool& pool) {
    unlist(pool);
    PoolShare& mine = share(pool.family);
    (pool.owned_before != nullptr ? pool.owned_before->owned_next : mine.owned) = pool.owned_next;
    if (pool.owned_next != nullptr) {
        pool.owned_next->owned_before = pool.owned_before;
    }
}

void PoolThread::list(Pool& pool) {
    Pool*& first = share(pool.family).available;
    pool.state = PoolState::serving;
    __atomic_store_n(&pool.quick_owner, this, __ATOMIC_RELAXED);
    current(pool.family) = &pool;
    pool.is_listed = true;
    pool.listed_before = nullptr;
    pool.listed_next = first;
    if (first != nullptr) {
        first->listed_before = &pool;
    }
    first = &pool;
}

void PoolThread::unlist(Pool& pool) {
    if (!pool.is_listed) {
        return;
    }
    pool.is_listed = false;
    Pool*& first = share(pool.family).available;
    (pool.listed_before != nullptr ? pool.listed_before->listed_next : first) = pool.listed_next;
    if (pool.listed_next != nullptr) {
        pool.listed_next->listed_before = pool.listed_before;
    }
    if (current(pool.family) == &pool) {
        current(pool.family) = &no_pool;
    }
    __atomic_store_n(&pool.quick_owner, nullptr, __ATOMIC_RELAXED);
}

bool PoolThread::take_foreign(Pool& pool) {
    uint64_t count = 0;
    PoolChunk* chunks = pool.foreign.take(pool.start, count);
    if (chunks == nullptr) {
        return false;
    }
    pool.free = chunks;
    pool.living -= count;
    return true;
}

// Where the pool is being emptied, or something was pushed just now, take_noted decides.
void PoolThread::set_aside(Pool& pool) {
    if (pool.is_kept) {
        const Locked locked(pool_arena.lock);
        unkeep(pool);
    }
    unlist(pool);
    pool.state = PoolState::aside;
    if (!pool.foreign.set_aside()) {
        note(pool);
    }
}

bool PoolThread::bring_back(Pool& pool) {
    if (pool.foreign.bring_back()) {
        list(pool);
    } else {
        take_noted();
    }
    return pool.state == PoolState::serving;
}

void PoolThread::note(Pool& pool) {
    pool.noted_next = __atomic_load_n(&noted, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&noted, &pool.noted_next, &pool, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

void PoolThread::take_noted() {
    if (__atomic_load_n(&noted, __ATOMIC_RELAXED) == nullptr) {
        return;
    }
    Pool* pool = __atomic_exchange_n(&noted, nullptr, __ATOMIC_ACQUIRE);
    while (pool != nullptr) {
        Pool* next = pool->noted_next;
        if (pool->foreign.is_emptied()) {
            const Locked locked(pool_arena.lock);
            give_back(*pool);
        } else if (!take_foreign(*pool)) {
            note(*pool);  // another thread is giving its pages back
        } else {
            list(*pool);
            if (is_empty(*pool)) {
                keep(*pool);
            }
        }
        pool = next;
    }
}

void PoolThread::keep(Pool& pool) {
    const Locked locked(pool_arena.lock);
    ++pool.living;
    pool.is_kept = true;
    if (kept_count == most_kept) {
        let_go();
    }
    kept[kept_count] = &pool;
    ++kept_count;
    kept_bytes += range_bytes(pool.order);
    while (kept_bytes > most_kept_bytes && kept_count > 1) {
        let_go();
    }
}

void PoolThread::let_go() {
    Pool& pool = *kept[0];
    unkeep(pool);
    if (is_empty(pool)) {
        give_back(pool);
    }
}

void PoolThread::unkeep(Pool& pool) {
    unsigned at = 0;
    while (kept[at] != &pool) {
        ++at;
    }
    --kept_count;
    for (; at < kept_count; ++at) {
        kept[at] = kept[at + 1];
    }
    kept_bytes -= range_bytes(pool.order);
    pool.is_kept = false;
    --pool.living;
}

void PoolThread::give_back(Pool& pool) {
    disown(pool);
    return_pool(pool);
}

}  // namespace malloom::heaps
