// The last walks of a thread, and what came of them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/context/call_chain.h"
#include "runtime/context/walk_trace.h"

namespace malloom::context {

/// Remembers which Entry the chains led to that one thread walked last. Checking a remembered walk costs a
/// comparison a frame. Belongs to one thread; memory of zeros is an empty one.
template <class Entry>
class RememberedWalks {
  public:
    /// The entry of the chain of `depth` frames from `caller`; `find(frames, count)` gives the Entry& of a
    /// chain that is not remembered. `depth` must be the same in all calls.
    template <class Find>
    [[gnu::always_inline]] Entry& entry_of(const Caller& caller, unsigned depth, Find&& find) {
        Walk& walk = walks_[place_of(caller)];
        if (walk.trace.holds_for(caller)) {
            [[likely]] return *walk.entry;
        }
        return remember(walk, caller, depth, find);
    }

  private:
    static constexpr unsigned bits = 6;

    struct alignas(64) Walk {
        Entry* entry;
        WalkTrace trace;
    };

    static size_t place_of(const Caller& caller) {
        return (caller.return_address + caller.stack_pointer * 0xd1342543de82ef95ULL) *
                   0x9e3779b97f4a7c15ULL >>
               (64 - bits);
    }

    template <class Find>
    [[gnu::noinline]] static Entry& remember(Walk& walk, const Caller& caller, unsigned depth, Find& find) {
        uintptr_t frames[max_depth];
        const unsigned count = trace_call_chain(caller, depth, frames, walk.trace);
        walk.entry = &find(frames, count);
        return *walk.entry;
    }

    Walk walks_[size_t{1} << bits];
};

}  // namespace malloom::context
