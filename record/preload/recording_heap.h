// The real allocator, with every event recorded.
#pragma once

#include <stddef.h>

#include "record/preload/recorder.h"
#include "runtime/context/caller.h"
#include "runtime/platform/real_allocator.h"

namespace malloom::record {

/// A ProcessHeap (runtime/front/process_heap.h). A release is recorded before the memory goes back, so that
/// in the order of tickets no other thread gets it earlier. While no window is open it asks nothing more than
/// that: a program may sleep for nearly all of its life.
class RecordingHeap {
  public:
    [[gnu::always_inline]] void* allocate(size_t bytes, size_t alignment, const context::Caller& caller) {
        namespace real = platform::real;
        if (is_asleep()) [[unlikely]]
            return alignment == 0 ? real::allocate(bytes) : real::allocate_aligned(alignment, bytes);
        void* object = alignment == 0 ? real::allocate(bytes) : real::allocate_aligned(alignment, bytes);
        if (object != nullptr) [[likely]]
            record_allocation(EventKind::allocate, object, bytes, alignment, caller);
        return object;
    }

    [[gnu::always_inline]] void* allocate_zeroed(size_t bytes, const context::Caller& caller) {
        if (is_asleep()) [[unlikely]]
            return platform::real::allocate_zeroed(1, bytes);
        void* object = platform::real::allocate_zeroed(1, bytes);
        if (object != nullptr) [[likely]]
            record_allocation(EventKind::allocate_zeroed, object, bytes, 0, caller);
        return object;
    }

    void* reallocate(void* object, size_t bytes, const context::Caller& caller) {
        if (is_asleep()) [[unlikely]]
            return platform::real::reallocate(object, bytes);
        const size_t usable = platform::real::usable_size(object);
        record_event(EventKind::reallocate_release, object, 0);
        void* moved = platform::real::reallocate(object, bytes);
        // Where there is no memory the old object lives on.
        if (moved != nullptr) {
            record_allocation(EventKind::reallocate, moved, bytes, 0, caller);
        } else {
            record_allocation(EventKind::reallocate, object, usable, 0, caller);
        }
        return moved;
    }

    [[gnu::always_inline]] void deallocate(void* object) {
        if (!is_asleep()) [[likely]]
            record_event(EventKind::release, object, 0);
        platform::real::deallocate(object);
    }

    size_t usable_size(void* object) { return platform::real::usable_size(object); }
};

}  // namespace malloom::record
