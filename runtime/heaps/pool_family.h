// The families: what is common to the pools of all threads for one size.
#pragma once

#include "runtime/heaps/pool_arena.h"
#include "runtime/heaps/pool_thread.h"

namespace malloom::heaps {

/// Under pool_arena.lock, but for chunk_bytes, which stays.
struct PoolFamily {
    uint32_t chunk_bytes;  ///< 0: not in use, as number 0 never is; atomic
    uint32_t next_unused;  ///< the next number that is free again, plus one
    uint32_t pools;        ///< pools that it has; atomic
    Pool* orphans;         ///< orphaned pools with free chunks
    bool is_for_runs;      ///< PoolHeap::take_run alone takes its chunks
};

extern constinit PoolFamily pool_families[most_families];

/// Where the first pool of a family begins: with room for a few chunks.
unsigned first_order(uint32_t chunk_bytes);

/// Gives the pool back to the arena. Under the lock; the pool is in no lists.
void return_pool(Pool& pool);

/// Gives all pools of the family back. Under the lock.
void return_all(uint32_t family);

/// Makes the pool nobody's. Under the lock; the pool is in no thread's lists.
void orphan(Pool& pool);

/// Makes an orphan this thread's; null where there is none of the family with free chunks.
Pool* adopt_any(PoolThread& self, uint32_t family);

/// Makes this orphan this thread's; false where another was quicker.
bool adopt(PoolThread& self, Pool& pool);

}  // namespace malloom::heaps
