// The heaps of libmalloom.so, by name. A further heap is a folder under runtime/heaps/, and in
// process_heaps.def its header and a line. Another library can be built over a list of its own, which
// includes that one.
#pragma once

#include "runtime/heaps/colocation/colocation_heap.h"
#include "runtime/heaps/fallback/fallback_heap.h"
#include "runtime/platform/output.h"

// The list. Targets over another one say which.
#ifndef MALLOOM_PROCESS_HEAPS
#define MALLOOM_PROCESS_HEAPS "runtime/front/process_heaps.def"
#endif
#include MALLOOM_PROCESS_HEAPS

namespace malloom::front {

/// In the order in which they are asked and an object's is looked for (route.h).
struct ProcessHeaps {
#define HEAP(type, name) type name;
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
    heaps::FallbackHeap fallback;
    /// Places in the pools beside other objects.
    heaps::ColocationHeap colocation{pools.heap};

    /// use(heap) of the heap that has the object; the fallback has what is no other's.
    template <class Use>
    auto with_owner(const void* object, Use use) {
#define HEAP(type, name)     \
    if (name.owns(object)) { \
        return use(name);    \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
        return use(fallback);
    }

    /// Lets the region heap of that name serve, over a region of this many bytes of address space, or up to
    /// its most_region_bytes of addresses where it has that constant: it opens the pages itself. Its name,
    /// which stays; null where the list has none (any name, or null), and where address space is short. Once,
    /// before the first request.
    const char* open_region_heap(const char* name);
    static constexpr size_t region_bytes = size_t{1} << 30;

    /// Of the region heap that is open. Null where none is.
    void* allocate_in_region([[maybe_unused]] const heaps::Request& request) {
#define KNOWN_HEAP(type, name)
#define HEAP(type, name)               \
    if (serves_ == &name) {            \
        return name.allocate(request); \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
        return nullptr;
    }
    /// Whether that is the region heap that is open.
    bool serves(const void* heap) const { return serves_ == heap; }
    /// The common case alone, of a region heap that has it so. Null, and false, where there is more to do.
    /// They call nothing, so whoever calls them needs no frame.
    template <class Heap>
    [[gnu::always_inline]] static void* take_at_hand(Heap& heap, size_t bytes) {
        if constexpr (requires { heap.allocate_at_hand(bytes); }) {
            return heap.allocate_at_hand(bytes);
        }
        return nullptr;
    }
    template <class Heap>
    [[gnu::always_inline]] static bool give_at_hand(Heap& heap, void* object) {
        if constexpr (requires { heap.release_at_hand(object); }) {
            return heap.release_at_hand(object);
        }
        return false;
    }
    /// What those say of themselves that serve, for the line of statistics.
    void describe_region([[maybe_unused]] platform::Line& line) const;

  private:
    const void* serves_ = nullptr;  ///< the region heap that open_region_heap has opened
};

/// The process's own.
extern constinit ProcessHeaps process_heaps [[gnu::visibility("hidden")]];

}  // namespace malloom::front
