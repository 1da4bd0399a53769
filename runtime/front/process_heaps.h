// The heaps of libmalloom.so, by name. A further heap is a folder under runtime/heaps/, and in
// process_heaps.def its header and a line. Another library can be built over a list of its own, which
// includes that one.
#pragma once

#include <string.h>

#include "runtime/heaps/colocation/colocation_heap.h"
#include "runtime/heaps/fallback/fallback_heap.h"
#include "runtime/platform/output.h"

// The list. Targets over another one say which.
#ifndef MALLOOM_PROCESS_HEAPS
#define MALLOOM_PROCESS_HEAPS "runtime/front/process_heaps.def"
#endif
#include MALLOOM_PROCESS_HEAPS

namespace malloom::front {

/// Each heap is asked in turn; what none claims is the fallback's. Fronts that know more ask a heap by its
/// name.
struct ProcessHeaps {
#define HEAP(type, name) type name;
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
    heaps::FallbackHeap fallback;
    /// Places in the pools beside other objects.
    heaps::ColocationHeap colocation{pools.heap};

    void* allocate(const heaps::Request& request) {
        void* object = claim(request);
        return object != nullptr ? object : fallback.allocate(request);
    }
    void* allocate_zeroed(const heaps::Request& request) {
        void* object = claim(request);
        return object != nullptr ? memset(object, 0, request.bytes) : fallback.allocate_zeroed(request);
    }
    void* reallocate(void* object, const heaps::Request& request) {
        return reallocate(object, request, [this](const heaps::Request& wanted) { return claim(wanted); });
    }
    /// The same for a front that asks in its own way: claimed(request) is an object, or null where it is to
    /// be the fallback's.
    template <class Claim>
    void* reallocate(void* object, const heaps::Request& request, Claim claimed);

    void deallocate(void* object) {
#define HEAP(type, name)         \
    if (name.owns(object)) {     \
        name.deallocate(object); \
        return;                  \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
        fallback.deallocate(object);
    }
    bool owns(const void* object) const { return fallback.owns(object); }

    /// Lets the region heap of that name serve, over a region of this many bytes of address space, or up to
    /// its most_region_bytes of addresses where it has that constant: it opens the pages itself. Its name,
    /// which stays; null where the list has none (any name, or null), and where address space is short. Once,
    /// before the first request.
    const char* open_region_heap(const char* name);
    static constexpr size_t region_bytes = size_t{1} << 30;

    /// As of a heap: the region heaps of the list alone. Null and false where none is open.
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
    bool owns_in_region([[maybe_unused]] const void* object) const {
#define KNOWN_HEAP(type, name)
#define HEAP(type, name)          \
    if (serves_ == &name) {       \
        return name.owns(object); \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
        return false;
    }
    /// False where none of them owns it.
    [[gnu::always_inline]] bool release_in_region([[maybe_unused]] void* object) {
#define KNOWN_HEAP(type, name)
#define HEAP(type, name)                         \
    if (serves_ == &name && name.owns(object)) { \
        name.deallocate(object);                 \
        return true;                             \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
        return false;
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

    size_t usable_size(const void* object) const {
#define HEAP(type, name)                 \
    if (name.owns(object)) {             \
        return name.usable_size(object); \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
        return fallback.usable_size(object);
    }

  private:
    const void* serves_ = nullptr;  ///< the region heap that open_region_heap has opened

    void* claim(const heaps::Request& request) {
#define HEAP(type, name)                         \
    if (void* object = name.allocate(request)) { \
        return object;                           \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
        return nullptr;
    }
    template <heaps::Heap Old>
    static void* move(Old& old, void* object, void* moved, size_t bytes) {
        if (moved != nullptr) {
            const size_t had = old.usable_size(object);
            memcpy(moved, object, had < bytes ? had : bytes);
            old.deallocate(object);
        }
        return moved;
    }
};

template <class Claim>
void* ProcessHeaps::reallocate(void* object, const heaps::Request& request, Claim claimed) {
#define HEAP(type, name)                                               \
    if (name.owns(object)) {                                           \
        if (name.resize(object, request)) {                            \
            return object;                                             \
        }                                                              \
        void* moved = claimed(request);                                \
        moved = moved != nullptr ? moved : fallback.allocate(request); \
        return move(name, object, moved, request.bytes);               \
    }
#include MALLOOM_PROCESS_HEAPS
#undef HEAP
    fallback.expect_object(object);
    if (void* moved = claimed(request)) {
        return move(fallback, object, moved, request.bytes);
    }
    return fallback.reallocate(object, request);
}

static_assert(heaps::CompleteHeap<ProcessHeaps>);

/// The process's own.
extern constinit ProcessHeaps process_heaps [[gnu::visibility("hidden")]];

}  // namespace malloom::front
