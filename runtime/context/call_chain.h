// Walks the stack of a request's caller.
#pragma once

#include "runtime/context/caller.h"
#include "runtime/context/walk_trace.h"

namespace malloom::context {

/// The longest call chain that is ever kept, in frames.
inline constexpr unsigned max_depth = 32;

/// The rest of walk_call_chain: frames[0] is there, `depth` is at least 2.
unsigned walk_callers(const Caller& caller, unsigned depth, uintptr_t* frames);

/// Writes up to `depth` (at most max_depth) return addresses into `frames`, innermost first, frames[0] being
/// the caller's return address, and returns how many: at least 1 where depth is, fewer than `depth` where the
/// stack ends or the next frame is not known for sure. Of each function only the innermost frame is there
/// (reduced_chain.h); in recursion deeper than max_folded frames the chain ends. A chain is the beginning of
/// the chain of any larger depth. Any thread, signal handlers too; never allocates or changes errno; takes a
/// lock only where a return address is met for the first time. x86-64 steps by the rules of .eh_frame, so it
/// needs no frame pointers; other processors follow frame pointers, and leave out only return addresses that
/// are in the chain already.
[[gnu::always_inline]] inline unsigned walk_call_chain(const Caller& caller, unsigned depth,
                                                       uintptr_t* frames) {
    if (depth == 0) {
        return 0;
    }
    frames[0] = caller.return_address;
    return depth == 1 ? 1 : walk_callers(caller, depth, frames);
}

/// The rest of trace_call_chain.
unsigned trace_callers(const Caller& caller, unsigned depth, uintptr_t* frames, WalkTrace& trace);

/// walk_call_chain that notes in `trace` what it read.
[[gnu::always_inline]] inline unsigned trace_call_chain(const Caller& caller, unsigned depth,
                                                        uintptr_t* frames, WalkTrace& trace) {
    trace.begin(caller);
    if (depth == 0) {
        return 0;
    }
    frames[0] = caller.return_address;
    return depth == 1 ? 1 : trace_callers(caller, depth, frames, trace);
}

}  // namespace malloom::context
