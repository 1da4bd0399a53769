// Whether what pools and magazines promise holds, for checks (checks/check.h). What a program does wrong is
// not looked at: states of chunks, which say that, are no part of it.
#include "runtime/heaps/pools/open_magazine.h"
#include "runtime/heaps/pools/pool_heap.h"

namespace malloom::heaps {

namespace {

constexpr uint32_t word_bits = 64;

// Bits of the chunks of a word that may be free: were given out, and lie behind where the search begins.
uint64_t possible_bits(const Pool& pool, uint32_t word) {
    if (word < pool.search || word * word_bits >= pool.carved) {
        return 0;
    }
    const uint32_t carved = pool.carved - word * word_bits;
    return carved >= word_bits ? ~uint64_t{0} : (uint64_t{1} << carved) - 1;
}

bool has_right_shape(const Pool& pool) {
    return pool.chunk_bytes != 0 && pool.chunk_bytes % granule_bytes == 0 &&
           pool.span == uint64_t{pool.capacity} * pool.chunk_bytes &&
           pool.reciprocal == reciprocal_of(pool.chunk_bytes / granule_bytes) &&
           pool.start + pool.span <= range_of(pool) + range_bytes(pool.order);
}

}  // namespace

bool PoolArena::is_valid(const Pool& pool) const noexcept {
    const auto* range = reinterpret_cast<const void*>(range_of(pool));
    if (!has_right_shape(pool) || find(range) != &pool || pool.carved > pool.capacity ||
        pool.out > pool.carved) {
        return false;
    }
    const uint64_t* words = free_bits(pool);
    uint64_t free = 0;
    for (uint32_t word = 0; word * word_bits < pool.capacity; ++word) {
        if ((words[word] & ~possible_bits(pool, word)) != 0) {
            return false;
        }
        free += static_cast<unsigned>(__builtin_popcountll(words[word]));
    }
    return free == pool.freed();
}

bool PoolArena::is_found_or_unused(const Pool& pool) const noexcept {
    const uintptr_t range = range_of(pool);
    const uintptr_t last = range + range_bytes(pool.order) - smallest_range;
    const Pool* found = find(reinterpret_cast<const void*>(range));
    return pool.order < pool_orders && range % range_bytes(pool.order) == 0 &&
           (found == &pool || (found == nullptr && pool.state() == PoolState::unused)) &&
           found == find(reinterpret_cast<const void*>(last));
}

bool PoolArena::is_valid() const noexcept {
    size_t bytes = 0, unused = 0;
    for (size_t i = 0; i < count_; ++i) {
        const Pool& pool = pools()[i];
        if (!is_found_or_unused(pool)) {
            return false;
        }
        bytes += range_bytes(pool.order);
        unused += find(reinterpret_cast<const void*>(range_of(pool))) == nullptr;
    }
    for (unsigned order = 0; order < pool_orders; ++order) {
        bytes += orders_[order].half != 0 ? range_bytes(order) : 0;
        for (const Pool* pool = orders_[order].unused; pool != nullptr; pool = pool->pending_next) {
            if (pool->order != order || unused == 0) {
                return false;
            }
            --unused;
        }
    }
    return unused == 0 && bytes == blocks_ * block_bytes && bytes <= ranges_.usable();
}

bool PoolHeap::is_valid(PoolThread& self, uint32_t client) const noexcept {
    LocalPools& local = self.local(client);
    const Pool* before = nullptr;
    uint64_t bytes = 0;
    for (const Pool* pool = local.owned; pool != nullptr; pool = pool->owned_next) {
        if (pool->owner != &self || pool->client != client || pool->owned_before != before) {
            return false;
        }
        bytes += range_bytes(pool->order);
        before = pool;
    }
    before = nullptr;
    for (const Pool* pool = local.listed; pool != nullptr; pool = pool->listed_next) {
        if (pool->state() != PoolState::listed || pool->owner != &self || pool->client != client ||
            pool->listed_before != before) {
            return false;
        }
        before = pool;
    }
    return bytes == local.owned_bytes;
}

// A claimed slot may be empty: its chunk is a signal handler's.
bool OpenMagazine::is_valid() const noexcept {
    if (local_.slots == nullptr) {
        return count_ == 0 && local_.limit == 0;
    }
    if (count_ > local_.limit || local_.magazine_order >= magazine_orders ||
        local_.limit > magazine_capacity(local_.magazine_order)) {
        return false;
    }
    for (uint32_t i = 0; i < magazine_sentinels; ++i) {
        if (local_.slots[local_.limit + i] != magazine_sentinel) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count_; ++i) {
        const auto chunk = static_cast<uintptr_t>(local_.slots[i]);
        if (chunk != 0 && !is_own(chunk)) {
            return false;
        }
    }
    return true;
}

bool OpenMagazine::is_own(uintptr_t chunk) const noexcept {
    const Pool* pool = heap_.arena_.find(reinterpret_cast<const void*>(chunk));
    return pool != nullptr && __atomic_load_n(&pool->owner, __ATOMIC_RELAXED) == &self_ &&
           pool->client == client_ && index_of(*pool, chunk).is_exact;
}

}  // namespace malloom::heaps
