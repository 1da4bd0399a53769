// What the files of compiled code's functions (include/malloom/pools.h) share: the pools of the program or
// shared library that they are linked into.
#pragma once

#include "runtime/front/process_pools.h"

namespace malloom::compiled {

extern constinit front::ProcessPools pools;

/// Around the making of borrowers, by a thread that no signal disturbs.
extern constinit structures::ThreadLock making_borrowers;

/// Under that lock, before the first borrower. False where address space is short.
bool open_pools();

/// An object of a borrower's pools; null where it is none's, or without memory.
[[gnu::always_inline]] inline void* take(uint32_t borrower) {
    void* chunk = pools.allocate_fast(borrower);
    return chunk != nullptr ? chunk : pools.allocate(borrower);
}

}  // namespace malloom::compiled
