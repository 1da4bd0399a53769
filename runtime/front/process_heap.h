// What a product must offer so that runtime/front/malloc_entries.h can put the malloc family over it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <concepts>

#include "runtime/context/caller.h"

namespace malloom::front {

/// The heap of the whole process. Thread-safe, and safe before main, in signal handlers and after exit
/// handlers.
/// - allocate: `alignment` is 0 for the default of malloc, else a power of two. nullptr when there is no
/// memory; the
///   entries set errno then, unless the heap has a constant `sets_errno`, true.
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

/// A heap that serves most requests knowing no more of their caller than its return address.
/// - allocate_quickly: as allocate with the default alignment; nullptr where it takes a closer look, and
/// nothing has happened then.
template <typename Heap>
concept QuickProcessHeap = ProcessHeap<Heap> && requires(Heap& heap, size_t bytes, uintptr_t return_address) {
    { heap.allocate_quickly(bytes, return_address) } -> std::same_as<void*>;
};

template <typename Heap>
inline constexpr bool heap_sets_errno = requires { requires Heap::sets_errno; };

}  // namespace malloom::front
