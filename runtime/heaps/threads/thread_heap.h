// What a heap offers that has an instance a thread, and what each instance has besides.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/heap.h"
#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::heaps {

/// What is wrong with an address that is given back.
enum class ThreadMisuse : uint8_t {
    foreign,       ///< no object begins there
    freed_before,  ///< it is free already
    damaged        ///< what the heap has beside it was written over
};

/// Whom a heap tells of an address that is no living object. The program ends then. `was_deferred`: another
/// thread, or a handler, gave it back before.
struct ThreadMisuseHook {
    void* context;
    void (*told)(void* context, ThreadMisuse what, const void* object, bool was_deferred);
};

/// A heap for one thread at a time, over regions that it gets. All zero it is not open.
/// - open: false where it cannot be.
/// - add_region: some bytes from a unit's begin on, zeroed. False where that is too little. remove_region: of
///   an empty one. first_region, next_region: all of them. room_of: its bytes, about.
/// - allocate: null where its regions are full. It takes what was deferred before, or some of it.
/// - release, resize: of an object in that region. Where it is none the hook is told.
/// - judge, release_later: in other threads and handlers, while the object's region is this heap's.
/// The
///   former comes before, and before a resize there; it tells the hook of what it knows to be no object, and
///   says nothing of a living one.
/// - has_deferred; take_deferred: all of it; forget_deferred.
/// - settle: empty memory that it kept for itself is in its regions again.
/// - usable_size: in any thread, of a living object; of another address it may be anything.
template <typename T>
concept ThreadHeap = requires(T& heap, const T& constant, typename T::Region& region, const Request& request,
                              void* object, size_t bytes, const ThreadMisuseHook& hook) {
    { heap.open(hook) } -> same_as<bool>;
    { heap.add_region(object, bytes) } -> same_as<bool>;
    { heap.remove_region(region) } -> same_as<void>;
    { constant.first_region() } -> same_as<typename T::Region*>;
    { T::next_region(region) } -> same_as<typename T::Region*>;
    { T::room_of(region) } -> same_as<size_t>;
    { T::is_empty(region) } -> same_as<bool>;
    { heap.allocate(request) } -> same_as<void*>;
    { heap.release(region, object) } -> same_as<void>;
    { heap.resize(region, object, bytes) } -> same_as<bool>;
    { constant.judge(region, object) } -> same_as<void>;
    { heap.release_later(object) } -> same_as<void>;
    { constant.has_deferred() } -> same_as<bool>;
    { heap.take_deferred() } -> same_as<void>;
    { heap.forget_deferred() } -> same_as<void>;
    { heap.settle() } -> same_as<void>;
    { T::usable_size(region, object) } -> same_as<size_t>;
    { T::looked_into(region, object, ThreadMisuse::foreign) } -> same_as<ThreadMisuse>;
};

/// A heap that offers the common case of small requests, and of objects in that region, alone: where there is
/// more to do, these give null and false, and nothing has changed. An object that goes leaves no region
/// empty.
template <typename T>
concept HasAtHand = requires(T& heap, typename T::Region& region, void* object, size_t bytes) {
    { heap.allocate_at_hand(bytes) } -> same_as<void*>;
    { heap.release_at_hand(region, object) } -> same_as<bool>;
};

/// An instance. It outlives its thread.
template <class Heap>
struct alignas(64) Owned : Heap {
    enum class State : uint8_t {
        idle,   ///< no thread has it
        owned,  ///< a thread has it
        frozen  ///< its thread was another one before the fork: nothing of it is used again
    };

    uint32_t number;  ///< from 1 on; 0 of one that stands for none
    uint8_t state;    ///< a State, changed under the lock
    bool is_busy;     ///< within the instance: a signal handler that comes then must not go there
    uint8_t rounds;   ///< for the front: of destructors that the ending thread has gone through
    Owned* next_idle;
    const typename Heap::Region* spare;  ///< the last one that became empty; it may be in use again
    structures::RacyCount for_others;    ///< objects of other instances that this one's threads have freed
};

}  // namespace malloom::heaps
