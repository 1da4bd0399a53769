// What every heap offers, so that any front can drive any composition of them. Needs no operating system and
// no C++ library.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::heaps {

/// What a heap knows about whoever asks; of the heap that defines it (runtime/heaps/plan/planned_context.h),
/// opaque to all others.
struct PlannedContext;

/// One request on its way through the heaps.
struct Request {
    size_t bytes;
    size_t alignment;  ///< 0 for the default of malloc (16), else a power of two
    PlannedContext* requester = nullptr;
};

/// As std::same_as: firmware may have no C++ library.
template <typename A, typename B>
concept same_as = __is_same(A, B);

/// - allocate: nullptr where this heap does not claim the request; the next one is asked then.
/// - owns: whether the object lies in this heap's memory; cheap, and never true for another heap's.
/// - deallocate, usable_size (in bytes): only for what the heap owns.
/// All are thread-safe, unless the heap says that it has no threads. A heap has its own fast paths besides,
/// which fronts that know it ask first.
template <typename T>
concept Heap = requires(T& heap, const T& constant, const Request& request, void* object) {
    { heap.allocate(request) } -> same_as<void*>;
    { heap.deallocate(object) } -> same_as<void>;
    { constant.owns(object) } -> same_as<bool>;
    { constant.usable_size(object) } -> same_as<size_t>;
};

/// A heap that claims some requests and leaves the others to the next one.
/// - resize: whether the object may stay where it is as the object of this request (of other size); it then
/// has its room.
template <typename T>
concept ClaimingHeap = Heap<T> && requires(T& heap, const Request& request, void* object) {
    { heap.resize(object, request) } -> same_as<bool>;
};

/// A claiming heap over memory that somebody gives it, so that it can do without an operating system. It is
/// thread-safe, and all zero it claims and owns nothing.
/// - open: once, before all else. The region is zeroed, in bytes, and outlives the heap; nobody else uses it.
/// False where it is too short.
template <typename T>
concept RegionHeap = ClaimingHeap<T> && requires(T& heap, void* region, size_t bytes) {
    { heap.open(region, bytes) } -> same_as<bool>;
};

/// A heap that takes every request, and every pointer: the last of a composition, and a composition as a
/// whole.
/// - reallocate: as realloc for an object that is not null and bytes that are not 0; nullptr leaves the
/// object alive.
template <typename T>
concept CompleteHeap = Heap<T> && requires(T& heap, const Request& request, void* object) {
    { heap.allocate_zeroed(request) } -> same_as<void*>;
    { heap.reallocate(object, request) } -> same_as<void*>;
};

/// A shrunk object stays where at least half of its room is used.
constexpr bool fits_room(uint64_t wanted, uint64_t room) {
    return wanted <= room && room <= 2 * wanted;
}

}  // namespace malloom::heaps
