// Walks the stack of a request's caller.
#pragma once

#include "runtime/context/caller.h"

namespace malloom::context {

/// The longest call chain that is ever kept, in frames.
inline constexpr unsigned max_depth = 32;

/// Writes up to `depth` (at most max_depth) return addresses into `frames`, innermost first, frames[0] being
/// the caller's return address, and returns how many: at least 1 where depth is, fewer than `depth` where the
/// stack ends or the next frame is not known for sure. Any thread, signal handlers too; never allocates,
/// locks or changes errno.
unsigned walk_call_chain(const Caller& caller, unsigned depth, uintptr_t* frames);

}  // namespace malloom::context
