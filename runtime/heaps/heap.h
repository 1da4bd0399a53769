// What every heap offers, so that any front can drive any composition of them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <concepts>

#include "formats/plan.h"

namespace malloom::heaps {

/// The pool of a requester, and the requests that it serves.
struct alignas(8) PoolOfRequester {
    uint32_t bytes = formats::plan::no_pool;  ///< of exactly these bytes
    uint32_t family = 0;                      ///< PoolHeap::add's number; PoolHeap::none where it has none

    /// Both at once: another thread may be giving the requester another pool.
    [[gnu::always_inline]] PoolOfRequester now() const {
        return __builtin_bit_cast(PoolOfRequester, __atomic_load_n(word(), __ATOMIC_RELAXED));
    }
    void set(PoolOfRequester pool) {
        __atomic_store_n(const_cast<Word*>(word()), __builtin_bit_cast(uint64_t, pool), __ATOMIC_RELEASE);
    }

  private:
    using Word [[gnu::may_alias]] = uint64_t;
    [[gnu::always_inline]] const Word* word() const { return reinterpret_cast<const Word*>(this); }
};

/// What the plan holds for whoever asks: a context, or a thread where matching is by sequence. Lives as long
/// as the heap. On lines of its own, so that threads in different contexts do not share them.
struct alignas(64) Requester {
    uint64_t next = 0;        ///< address of the slot of the next ordinal
    uint64_t end = 0;         ///< address past the last slot; equal to `first` where the plan has none
    uint64_t quick_end = 0;   ///< below it there are slots enough to look ahead, in a part of them
    uint64_t plain_span = 0;  ///< FallbackHeap::plain_span where nothing but the fallback serves it, else 0
    PoolOfRequester pooled;   ///< of requests that no slot serves
    uint64_t first = 0;
    uint64_t unmatched = 0;  ///< their granules, 16 bits each, the last one lowest
    uint32_t group = formats::plan::no_group;
    uint32_t waiting_at = 0;  ///< `next` in slots when requests were last left unmatched
    uint32_t refused = 0;     ///< requests that no slot fitted, or whose slot was taken
    uint32_t unused = 0;      ///< slots passed that no object got
    bool is_noted = false;    ///< its slots are counted as used up
    bool is_systems = false;  ///< nothing but the C library serves it; atomic
    bool is_watched = false;  ///< the front wants to see each request that no slot and no pool serves
};

/// One request on its way through the heaps.
struct Request {
    size_t bytes;
    size_t alignment;  ///< 0 for the default of malloc (16), else a power of two
    Requester* requester;
};

/// - allocate: nullptr where this heap does not claim the request; the next one is asked then.
/// - owns: whether the object lies in this heap's memory; cheap, and never true for another heap's.
/// - deallocate, usable_size (in bytes): only for what the heap owns.
/// All are thread-safe.
template <typename T>
concept Heap = requires(T& heap, const T& constant, const Request& request, void* object) {
    { heap.allocate(request) } -> std::same_as<void*>;
    { heap.deallocate(object) } -> std::same_as<void>;
    { constant.owns(object) } -> std::same_as<bool>;
    { constant.usable_size(object) } -> std::same_as<size_t>;
};

/// A heap that claims some requests and leaves the others to the next one.
/// - resize: whether the object may stay where it is as the object of this request (of other size); it then
/// has its room.
template <typename T>
concept ClaimingHeap = Heap<T> && requires(T& heap, const Request& request, void* object) {
    { heap.resize(object, request) } -> std::same_as<bool>;
};

/// A heap that takes every request, and every pointer: the last of a composition, and a composition as a
/// whole.
/// - reallocate: as realloc for an object that is not null and bytes that are not 0; nullptr leaves the
/// object alive.
template <typename T>
concept CompleteHeap = Heap<T> && requires(T& heap, const Request& request, void* object) {
    { heap.allocate_zeroed(request) } -> std::same_as<void*>;
    { heap.reallocate(object, request) } -> std::same_as<void*>;
};

/// A shrunk object stays where at least half of its room is used.
constexpr bool fits_room(uint64_t wanted, uint64_t room) {
    return wanted <= room && room <= 2 * wanted;
}

}  // namespace malloom::heaps
