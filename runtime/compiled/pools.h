// What the files of compiled code's functions (include/malloom/pools.h) share: the pools of the program or
// shared library that they are linked into.
#pragma once

#include "runtime/front/process_pools.h"

namespace malloom::compiled {

extern constinit front::ProcessPools pools;

/// Around the making of clients, by a thread that no signal disturbs.
extern constinit structures::ForkLock making_clients;

/// Under that lock, before the first client. False where address space is short.
bool open_pools();

/// An object of a client's pools; null where it is none's, or without memory.
[[gnu::always_inline]] inline void* take(uint32_t client) {
    void* chunk = pools.allocate_fast(client);
    return chunk != nullptr ? chunk : pools.allocate(client);
}

}  // namespace malloom::compiled
