#include "runtime/heaps/pool_thread.h"

#include "runtime/heaps/pool_chunks.h"
#include "runtime/heaps/pool_family.h"
#include "runtime/platform/memory.h"

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

using structures::Locked;

void PoolThread::own(Pool& pool) {
    PoolShare& mine = share(pool.family);
    if (mine.is_kept) {
        unkeep(pool.family);
    }
    mine.living += pool.living;
    Pool*& first = mine.owned;
    pool.owned_before = nullptr;
    pool.owned_next = first;
    if (first != nullptr) {
        first->owned_before = &pool;
    }
    first = &pool;
    __atomic_store_n(&pool.owner, this, __ATOMIC_RELEASE);
    pool_arena.set_top(pool, &top(pool.family));
    list(pool);
}

void PoolThread::disown(Pool& pool) {
    unlist(pool);
    PoolShare& mine = share(pool.family);
    mine.living -= pool.living;
    (pool.owned_before != nullptr ? pool.owned_before->owned_next : mine.owned) = pool.owned_next;
    if (pool.owned_next != nullptr) {
        pool.owned_next->owned_before = pool.owned_before;
    }
}

void PoolThread::list(Pool& pool) {
    Pool*& first = share(pool.family).available;
    pool.state = PoolState::serving;
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
}

bool PoolThread::take_foreign(Pool& pool) {
    uint64_t count = 0;
    PoolChunk* chunks = pool.foreign.take(pool.start, count);
    if (chunks == nullptr) {
        return false;
    }
    pool.free = chunks;
    pool.living -= count;
    pool.owner->share(pool.family).living -= count;
    return true;
}

void PoolThread::release_foreign(Pool& pool, void* chunk) {
    const uint32_t empty_at = pool.order >= 2 ? pool.capacity() : ~uint32_t{0};
    const auto duty = pool.foreign.push(pool.start, static_cast<PoolChunk*>(chunk), empty_at);
    if (duty.empty) {
        platform::discard_pages(reinterpret_cast<void*>(range_of(pool)), range_bytes(pool.order));
        pool.foreign.set_emptied();
    }
    if (duty.note) {
        __atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE)->note(pool);
    }
}

// Where the pool is being emptied, or something was pushed just now, take_noted decides.
void PoolThread::set_aside(Pool& pool) {
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
            if (is_empty(*pool) && pool->listed_next != nullptr) {
                const Locked locked(pool_arena.lock);
                give_back(*pool);
            }
        }
        pool = next;
    }
}

void PoolThread::keep(uint32_t family, size_t bytes) {
    share(family).is_kept = true;
    kept[kept_count++] = {family, static_cast<uint32_t>(bytes)};
    kept_bytes += bytes;
    while (kept_count > 1 && (kept_count == most_kept || kept_bytes > most_kept_bytes)) {
        const uint32_t oldest = kept[0].family;
        unkeep(oldest);
        OpenMagazine(*this, oldest).let_go();
    }
}

void PoolThread::unkeep(uint32_t family) {
    unsigned at = 0;
    while (kept[at].family != family) {
        ++at;
    }
    kept_bytes -= kept[at].bytes;
    --kept_count;
    for (; at < kept_count; ++at) {
        kept[at] = kept[at + 1];
    }
    share(family).is_kept = false;
}

void PoolThread::give_back(Pool& pool) {
    disown(pool);
    return_pool(pool);
}

void PoolThread::give_back_all(uint32_t family) {
    while (share(family).owned != nullptr) {
        give_back(*share(family).owned);
    }
}

size_t PoolThread::give_back_all_but_one(uint32_t family) {
    Pool& one = *share(family).owned;
    while (one.owned_next != nullptr) {
        give_back(*one.owned_next);
    }
    share(family).living -= one.living;
    one.living = 0;
    one.carved = 0;
    one.free = nullptr;
    if (one.state == PoolState::aside && one.foreign.bring_back()) {
        list(one);
    }
    return range_bytes(one.order);
}

}  // namespace malloom::heaps
