// The chunks of an arena's pools: given out, taken back, and counted anew by their states.
#include <string.h>

#include "checks/check.h"
#include "runtime/heaps/pools/arena.h"
#include "runtime/platform/memory.h"
#include "runtime/structures/alone.h"
#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::heaps {

void PoolArena::count_out(const Pool& pool, int64_t chunks) {
    structures::fetch_add(structures::alone(), out_, static_cast<uint64_t>(chunks) * object_bytes(pool));
}

uint32_t PoolArena::take_chunks(Pool& pool, uint32_t most, uint64_t* last) {
    if (pool.freed() != 0) {
        return take_freed(pool, most < pool.freed() ? most : pool.freed(), last);
    }
    uint32_t count = most;
    auto chunk = reinterpret_cast<uintptr_t>(carve(pool, count));
    for (uint32_t i = 0; i < count; ++i, chunk += pool.chunk_bytes) {
        *(last - i) = chunk;
    }
    return count;
}

uint32_t PoolArena::take_freed(Pool& pool, uint32_t count, uint64_t* last) {
    uint64_t* words = free_bits(pool);
    for (uint32_t i = 0; i < count; ++i) {
        while (words[pool.search] == 0) {
            ++pool.search;
            MALLOOM_CHECK(pool.search * 64 < pool.carved);
        }
        uint64_t& word = words[pool.search];
        const uint32_t index = pool.search * 64 + static_cast<unsigned>(__builtin_ctzll(word));
        const uintptr_t chunk = chunk_at(pool, index);
        word &= word - 1;
        uint8_t* state = state_of(reinterpret_cast<void*>(chunk));
        if (is_checked && __atomic_load_n(state, __ATOMIC_RELAXED) != ChunkState::in_pool) {
            misused(Misuse::freed_by_two, reinterpret_cast<void*>(chunk), &pool);
        }
        __atomic_store_n(state, ChunkState::none, __ATOMIC_RELAXED);
        pages_.occupy(pool, index, 1);
        *(last - i) = chunk;
    }
    pool.out += count;
    count_out(pool, count);
    return count;
}

void* PoolArena::carve(Pool& pool, uint32_t& count) {
    MALLOOM_CHECK(pool.carved <= pool.capacity);
    const uint32_t left = pool.capacity - pool.carved;
    count = count < left ? count : left;
    if (count == 0) {
        return nullptr;
    }
    const uintptr_t first = chunk_at(pool, pool.carved);
    const uintptr_t end = first + uint64_t{count} * pool.chunk_bytes;
    if (pages_.needs_part(pool, end) && idle_bytes() + PoolPages::part_bytes(pool) <= most_idle()) {
        pages_.populate(pool, end);
    }
    pages_.occupy(pool, pool.carved, count);
    pool.carved += count;
    const auto used = static_cast<uint32_t>(end - range_of(pool));
    pool.touched = pool.touched > used ? pool.touched : used;
    pool.out += count;
    count_out(pool, count);
    if (huge_pages_.are_preferred() && pool.carved == pool.capacity) {
        gather(pool);
    }
    return reinterpret_cast<void*>(first);
}

void PoolArena::put_chunk(Pool& pool, const void* chunk) {
    const auto address = reinterpret_cast<uint64_t>(chunk);
    set_free(pool, &address, 1);
}

uint32_t PoolArena::put_chunks(Pool& pool, const uint64_t* chunks, uint32_t count) {
    const uintptr_t range = range_of(pool);
    const size_t bytes = range_bytes(pool.order);
    uint32_t own = 0;
    for (; own < count && chunks[own] - range < bytes; ++own) {
        __atomic_store_n(state_of(reinterpret_cast<void*>(chunks[own])), ChunkState::in_pool,
                         __ATOMIC_RELAXED);
    }
    set_free(pool, chunks, own);
    return own;
}

// What is read of the pool is read once: nothing that is written here is part of it.
void PoolArena::set_free(Pool& pool, const uint64_t* chunks, uint32_t count) {
    uint64_t* words = free_bits(pool);
    const uintptr_t start = pool.start;
    const uint64_t reciprocal = pool.reciprocal;
    const uint32_t carved = pool.carved;
    uint32_t search = pool.search;
    for (uint32_t i = 0; i < count; ++i) {
        const auto index = static_cast<uint32_t>(times_reciprocal(chunks[i] - start, reciprocal) >> 32);
        MALLOOM_CHECK(index < carved);
        const uint64_t word = words[index / 64], bit = uint64_t{1} << index % 64;
        if ((word & bit) != 0) {
            misused(Misuse::freed_by_two, reinterpret_cast<const void*>(chunks[i]), &pool);
        }
        words[index / 64] = word | bit;
        search = index / 64 < search ? index / 64 : search;
    }
    MALLOOM_CHECK(count <= pool.out);
    pool.search = search;
    pool.out -= count;
    pages_.leave(pool, chunks, count);
}

bool PoolArena::is_at_rest(const Pool& pool) const {
    const uint64_t* words = free_bits(pool);
    for (uint32_t first = 0; is_checked && first < pool.carved; first += 64) {
        uint64_t out = ~words[first / 64];
        for (; out != 0; out &= out - 1) {
            const uint32_t index = first + static_cast<unsigned>(__builtin_ctzll(out));
            if (index >= pool.carved) {
                break;
            }
            const uint8_t* state = state_of(reinterpret_cast<void*>(chunk_at(pool, index)));
            if (__atomic_load_n(state, __ATOMIC_RELAXED) == ChunkState::none) {
                return false;
            }
        }
    }
    return true;
}

// Chunks that nobody will give back any more leave their pages too.
void PoolArena::reset(Pool& pool) {
    const uintptr_t range = range_of(pool);
    const size_t used = platform::round_up(chunk_at(pool, pool.carved), state_block) - range;
    memset(state_of(reinterpret_cast<void*>(range)), ChunkState::none, used / granule_bytes);
    memset(free_bits(pool), 0, (pool.carved + size_t{63}) / 64 * sizeof(uint64_t));
    count_out(pool, -static_cast<int64_t>(pool.out));
    pages_.leave_all(pool);
    pool.carved = pool.out = pool.reserved = pool.returned = pool.search = 0;
}

void PoolArena::recount(Pool& pool) {
    pages_.clear(pool);
    uint64_t* words = free_bits(pool);
    memset(words, 0, (pool.capacity + 63) / 64 * sizeof(uint64_t));
    pool.out = 0;
    pool.search = 0;
    for (uint32_t i = 0; i < pool.carved; ++i) {
        const uintptr_t chunk = chunk_at(pool, i);
        if (*state_of(reinterpret_cast<void*>(chunk)) == ChunkState::in_pool) {
            words[i / 64] |= uint64_t{1} << i % 64;
        } else {
            ++pool.out;
            pages_.occupy(pool, i, 1);
        }
    }
    MALLOOM_CHECK_FULL(is_valid(pool));
}

void PoolArena::freeze(Pool& pool) {
    pages_.pin(pool);
    memset(free_bits(pool), 0, (pool.capacity + 63) / 64 * sizeof(uint64_t));
    pool.carved = pool.out = pool.capacity;
    pool.reserved = pool.returned = pool.search = 0;
}

}  // namespace malloom::heaps
