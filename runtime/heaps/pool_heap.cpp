#include "runtime/heaps/pool_heap.h"

#include "runtime/heaps/pool_chunks.h"
#include "runtime/heaps/pool_family.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

uint32_t families_count = 1;
uint32_t unused_family = 0;  // plus one

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
    if (void* object = take_from_magazine(self->top(family))) {
        return object;  // of callers that did not ask allocate_small
    }
    const BusyScope busy(self);
    OpenMagazine magazine(*self, family);
    return magazine.is_whole() ? magazine.take() : nullptr;
}

void* PoolHeap::take_run(PoolThread& self, uint32_t family, uint32_t& count) {
    void* freed = take_from_magazine(self.top(family));
    Pool* pool = freed == nullptr ? next_pool(self, family) : nullptr;
    if (pool == nullptr) {
        count = freed != nullptr;
        return freed;
    }
    ++pool->living;
    if (pool->free != nullptr) {
        count = 1;
        return pop(*pool);
    }
    const uint32_t left = pool->capacity() - pool->carved;
    count = count < left ? count : left;
    const uintptr_t first = pool->start + uint64_t{pool->carved} * pool->chunk_bytes;
    populate(*pool, first + uint64_t{count} * pool->chunk_bytes);
    pool->carved += count;
    return reinterpret_cast<void*>(first);
}

// False where it is not this thread's, or cannot be taken in: another thread's stack is the place for it.
static bool release_own(PoolThread& self, Pool& pool, void* object) {
    const BusyScope busy(&self);
    if (__atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE) == nullptr && !adopt(self, pool)) {
        return false;
    }
    if (__atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE) != &self) {
        return false;
    }
    OpenMagazine magazine(self, pool.family);
    return magazine.is_whole() && magazine.put(object);
}

void PoolHeap::release_any(void* object) {
    Pool* pool = pool_arena.find(object);
    if (!holds(*pool, object)) {
        platform::abort_with("malloom: free of what is no object of a pool");
    }
    PoolThread* self = own_thread();
    if (self == nullptr || !release_own(*self, *pool, object)) {
        PoolThread::release_foreign(*pool, object);
    }
}

}  // namespace malloom::heaps
