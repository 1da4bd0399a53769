#include "runtime/heaps/pools/pool_heap.h"

#include "runtime/heaps/pools/open_magazine.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

using structures::Locked;

bool PoolHeap::open(size_t most_bytes) {
    if (!arena_.open(most_bytes)) {
        return false;
    }
    no_top_ = closed_top();
    if (tables_ == nullptr) {
        tables_ = static_cast<Tables*>(platform::map_pages(sizeof(Tables)));
        if (tables_ != nullptr) {
            add_small_commons();
        }
    }
    return tables_ != nullptr;
}

void PoolHeap::close() {
    arena_.close();
    close_tables();
}

void PoolHeap::close_but_objects() {
    arena_.close_but_objects();
    close_tables();
}

void PoolHeap::close_tables() {
    while (all_threads_ != nullptr) {
        PoolThread* table = all_threads_;
        all_threads_ = table->next_table;
        platform::unmap_pages(table, PoolThread::table_bytes());
    }
    magazines_.close();
    if (tables_ != nullptr) {
        platform::unmap_pages(tables_, sizeof(Tables));
    }
    tables_ = nullptr;
    stand_ins_[0] = stand_ins_[1] = nullptr;
    idle_threads_ = nullptr;
    threads_count_ = 0;
    clients_count_ = 1;
    unused_client_ = 0;
    deferred_ = nullptr;
    forget_deferred_spread();
}

void* PoolHeap::allocate(PoolThread& self, uint32_t client) {
    if (self.is_busy || chunk_bytes(client) == 0) {
        return nullptr;
    }
    if (void* object = ended_taking(self, client)) {
        return object;
    }
    const BusyScope busy(self);
    void* chunk = nullptr;
    {
        OpenMagazine magazine(*this, self, client);
        chunk = magazine.is_whole() ? magazine.take() : nullptr;
    }
    if (chunk != nullptr) {
        mark_object(self, chunk);
        cache(self, client);
        limit_cached(self, client);
    }
    return chunk;
}

// A claim of the fast path that a handler came into, or what the fast path gives, for callers that did not
// ask it. A chunk of another client's goes back.
void* PoolHeap::ended_taking(PoolThread& self, uint32_t client) {
    if (self.taking.top == nullptr) [[likely]] {
        return allocate_fast(self, client);
    }
    const bool is_wanted = self.taking.top == &self.top(client);
    uint64_t& top = *self.taking.top;
    void* chunk = end_taking(self.taking);
    if (chunk == nullptr || is_wanted) {
        if (chunk != nullptr) {
            mark_object(self, chunk);
        }
        return chunk;
    }
    put_into_magazine(top, chunk, self.putting);
    return nullptr;
}

void* PoolHeap::take_run(PoolThread& self, uint32_t client, uint32_t& count) {
    void* first = take_from_magazine(self.top(client), self.taking);
    Pool* pool = first == nullptr ? next_pool(self, client) : nullptr;
    if (pool != nullptr) {
        const Locked locked(pool->lock);
        const uint32_t wanted = count;
        uint64_t freed = 0;
        count = pool->freed() != 0 ? arena_.take_chunks(*pool, 1, &freed) : 0;
        first = reinterpret_cast<void*>(freed);
        if (count == 0) {
            count = wanted;
            first = arena_.carve(*pool, count);
        }
        pool->reserved += count - 1;
        ++self.local(client).living;
    } else {
        count = first != nullptr;
    }
    if (first != nullptr) {
        mark_object(self, first);
    }
    return first;
}

void PoolHeap::release(PoolThread& self, void* object) {
    if (self.putting.top != nullptr && ended_putting(self, object)) [[unlikely]] {
        return;
    }
    Pool& pool = pool_of_object(object);
    if (self.is_busy || !release_own(self, pool, object)) {
        release_foreign(self, pool, object);
    }
}

Pool& PoolHeap::pool_of_object(const void* object) const {
    Pool* pool = arena_.find(object);
    const ChunkIndex at =
        pool != nullptr ? index_of(*pool, reinterpret_cast<uintptr_t>(object)) : ChunkIndex{};
    if (!at.is_exact) {
        arena_.misused(pool != nullptr ? Misuse::within_chunk : Misuse::no_chunk, object, pool);
    }
    if (is_checked && !ChunkState::is_object(__atomic_load_n(arena_.state_of(object), __ATOMIC_RELAXED))) {
        arena_.misused(Misuse::freed_twice, object, pool);
    }
    return *pool;
}

bool PoolHeap::ended_putting(PoolThread& self, void* object) {
    const uint64_t granule = arena_.granule_of(object);
    if (granule >= arena_.granules() || (is_checked && *arena_.state_of_granule(granule) != self.own) ||
        arena_.top_of_granule(granule) != self.putting.top || !end_putting(self.putting, object)) {
        return false;
    }
    *arena_.state_of_granule(granule) = ChunkState::none;
    return true;
}

// False where it is not this thread's, or cannot be taken in.
bool PoolHeap::release_own(PoolThread& self, Pool& pool, void* object) {
    const BusyScope busy(self);
    take_deferred();
    if (__atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE) == nullptr && !adopt(self, pool)) {
        return false;
    }
    if (__atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE) != &self) {
        return false;
    }
    const size_t size_class = class_of(pool);
    const bool is_put = put(self, pool.client, object);
    share_spares(self, size_class);
    return is_put;
}

bool PoolHeap::put(PoolThread& self, uint32_t client, void* object) {
    OpenMagazine magazine(*this, self, client);
    if (!magazine.is_whole()) {
        return false;
    }
    uint8_t* state = arena_.state_of(object);
    __atomic_store_n(state, ChunkState::none, __ATOMIC_RELAXED);
    const bool is_put = magazine.put(object);
    if (!is_put) {
        __atomic_store_n(state, self.mark, __ATOMIC_RELAXED);
    }
    return is_put;
}

}  // namespace malloom::heaps
