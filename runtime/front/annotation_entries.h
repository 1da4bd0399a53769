// The calls of include/malloom/malloom.h over one product's heap, for a run time: requests are matched like
// all others, and what only a recorder wants does nothing. Included after malloc_entries.h, by the same
// source file.
#pragma once

#include "include/malloom/malloom.h"
#include "runtime/context/caller.h"

namespace malloom::front {

// These ask from the caller's own call site, so that the context is the one that was recorded.
inline void* allocate_near(size_t bytes, const void*) {
    return or_out_of_memory(process_heap().allocate(bytes, 0, context::current_caller()));
}
inline void* allocate_zeroed_near(size_t count, size_t bytes, const void*) {
    return Entry<>::allocate_zeroed(count, bytes);
}
inline void touch(const void*, unsigned) {}
inline void stop_recording() {}
/// The line of statistics so far, where it was asked for.
inline void print_status() {
    process_heap().finish();
}

}  // namespace malloom::front

MALLOOM_ENTRY const malloom_calls malloom_calls = {
    1,
    malloom::front::allocate_near,
    malloom::front::allocate_zeroed_near,
    malloom::front::touch,
    malloom::front::stop_recording,
    malloom::front::print_status,
};
