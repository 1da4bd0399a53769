// What a product must offer so that runtime/front/malloc_entries.h can put the malloc family over it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <concepts>

#include "runtime/context/caller.h"
#include "runtime/context/caller_state.h"

namespace malloom::front {

class Colocation;

/// The heap of the whole process. Thread-safe, and safe before main, in signal handlers and after exit
/// handlers.
/// - allocate: `alignment` is 0 for the default of malloc, else a power of two. nullptr when there is no
///   memory; the entries set errno then, unless the heap has a constant `sets_errno`, true.
/// - allocate_zeroed: as allocate, and zeroed.
/// - reallocate: the object is not null and bytes is not 0; on failure nullptr, and the object lives on.
/// - deallocate, usable_size: the object is not null; it may come from another allocator.
/// errno is left alone on success.
template <typename Heap>
concept ProcessHeap =
    requires(Heap& heap, void* object, size_t bytes, size_t alignment, const context::Caller& caller) {
        { heap.allocate(bytes, alignment, caller) } -> std::same_as<void*>;
        { heap.allocate_zeroed(bytes, caller) } -> std::same_as<void*>;
        { heap.reallocate(object, bytes, caller) } -> std::same_as<void*>;
        { heap.deallocate(object) } -> std::same_as<void>;
        { heap.usable_size(object) } -> std::same_as<size_t>;
    };

/// A heap that answers most requests knowing no more of their caller than its return address. Entries jump to
/// what `entries()` names now. Each of these fast paths ends in a tail call: of `slow_path` where it has to
/// know more, of `from_fallback` where the fallback may have the request, of `colocated` for objects that
/// have companions. So the entry needs no frame.
/// - allocate_by_size, allocate_pooled, allocate_reached: an object where one is at hand, else null.
/// - allocate_soon: the same, or the fallback's where all requests of the return address are; else what it is
///   given for that.
/// - is_fallbacks: whether they are known to be, so that the fallback may have an object of its own again.
/// - allocate_fast: as allocate with the default alignment, for a return address and the place where it lies.
/// - allocate_zeroed_fast, allocate_aligned_fast: as allocate_zeroed, and allocate with an alignment.
/// - deallocate takes null too. All set errno.
/// - allocate_for_state, allocate_zeroed_for_state: what the slow path asks, for the caller in its state.
template <typename Heap>
concept FastProcessHeap =
    ProcessHeap<Heap> &&
    requires(Heap& heap, size_t size, uintptr_t site, const context::Caller& caller, void* (*one)(size_t),
             void* (*two)(size_t, size_t), void* (*colocated)(size_t, const Colocation&)) {
        { Heap::entries().allocate(size) } -> std::same_as<void*>;
        { Heap::allocate_by_size(size) } -> std::same_as<void*>;
        { heap.allocate_pooled(size, site) } -> std::same_as<void*>;
        { heap.allocate_soon(size, site, one, one) } -> std::same_as<void*>;
        { heap.is_fallbacks(site) } -> std::same_as<bool>;
        { heap.allocate_reached(size, caller) } -> std::same_as<void*>;
        { heap.allocate_fast(size, site, site, one, colocated, one) } -> std::same_as<void*>;
        { heap.allocate_zeroed_fast(size, site, site, one) } -> std::same_as<void*>;
        { heap.allocate_aligned_fast(size, size, site, two, two) } -> std::same_as<void*>;
    } &&
    requires(Heap& heap, size_t size, const context::CallerState& state) {
        { heap.allocate_for_state(size, state) } -> std::same_as<void*>;
        { heap.allocate_zeroed_for_state(size, state) } -> std::same_as<void*>;
    };

template <typename Heap>
inline constexpr bool heap_sets_errno = requires { requires Heap::sets_errno; };

}  // namespace malloom::front
