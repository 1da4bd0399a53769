// The last walks of all threads, and what came of them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/context/call_chain.h"
#include "runtime/context/walk_trace.h"

namespace malloom::context {

/// As RememberedWalks, for a process as a whole: threads have other stacks, so they mostly use other places.
/// No thread waits for another. Any thread, signal handlers too. Memory of zeros is an empty one.
template <class Entry>
class SharedWalks {
  public:
    /// The entry that a walk from `caller` led to, or null where it is not remembered. Entries never go away.
    [[gnu::always_inline]] Entry* find(const Caller& caller) {
        const Walk& walk = walks_[place_of(caller)];
        const uint64_t version = __atomic_load_n(&walk.version, __ATOMIC_ACQUIRE);
        const auto is_whole = [&] {
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            return __atomic_load_n(&walk.version, __ATOMIC_RELAXED) == version;
        };
        if (version % 2 != 0 || !walk.trace.holds_for(caller, is_whole)) [[unlikely]] {
            return nullptr;
        }
        Entry* entry = __atomic_load_n(&walk.entry, __ATOMIC_RELAXED);
        return is_whole() ? entry : nullptr;
    }

    /// Walks, remembers and gives the Entry& that `find(frames, count)` has for the chain of up to `depth`
    /// frames; `depth` must be the same in all calls. Who finds another writing there, or is a signal handler
    /// that interrupted one, remembers nothing.
    template <class Find>
    Entry& walk(const Caller& caller, unsigned depth, Find&& find) {
        uintptr_t frames[max_depth];
        Walk& walk = walks_[place_of(caller)];
        uint64_t version = __atomic_load_n(&walk.version, __ATOMIC_RELAXED);
        if (version % 2 != 0 || !__atomic_compare_exchange_n(&walk.version, &version, version + 1, false,
                                                             __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            const unsigned length = walk_call_chain(caller, depth, frames);
            return find(frames, length);
        }
        __atomic_thread_fence(__ATOMIC_RELEASE);
        const unsigned length = trace_call_chain(caller, depth, frames, walk.trace);
        Entry& entry = find(frames, length);
        __atomic_store_n(&walk.entry, &entry, __ATOMIC_RELAXED);
        __atomic_store_n(&walk.version, version + 2, __ATOMIC_RELEASE);
        return entry;
    }

  private:
    static constexpr size_t count = 512;

    struct alignas(64) Walk {
        uint64_t version;  ///< odd while somebody writes
        Entry* entry;
        WalkTrace trace;
    };

    // Stacks are aligned to 16 bytes; a call site's frames at other depths lie a few words apart.
    static size_t place_of(const Caller& caller) {
        return (caller.return_address + (caller.stack_pointer >> 4) * 0x9e3779b1) >> 3 & (count - 1);
    }

    Walk walks_[count];
};

}  // namespace malloom::context
