#include "runtime/context/call_chain.h"

#if defined(__x86_64__)
#include "runtime/context/walk_unwind_tables.h"
#else
#include "runtime/context/walk_frame_pointers.h"
#endif

namespace malloom::context {

__attribute__((no_sanitize("address", "thread", "undefined"))) unsigned walk_callers(const Caller& caller,
                                                                                     unsigned depth,
                                                                                     uintptr_t* frames) {
    NoTrace trace;
    return walker::walk(caller, depth, frames, trace);
}

__attribute__((no_sanitize("address", "thread", "undefined"))) unsigned trace_callers(const Caller& caller,
                                                                                      unsigned depth,
                                                                                      uintptr_t* frames,
                                                                                      WalkTrace& trace) {
    return walker::walk(caller, depth, frames, trace);
}

}  // namespace malloom::context
