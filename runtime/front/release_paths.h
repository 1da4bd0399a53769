// How entries ask the heap to take an object back.
//
// Included once, by runtime/front/entry_paths.h.
#pragma once

#include <type_traits>

#include "runtime/front/process_heap.h"

namespace malloom::front {

// Whether the heap answers most requests by its fast paths. Compilers make tail calls only where they
// optimize.
#ifdef __OPTIMIZE__
inline constexpr bool has_fast_paths = FastProcessHeap<std::remove_reference_t<decltype(process_heap())>>;
#else
inline constexpr bool has_fast_paths = false;
#endif

inline void deallocate(void* object) {
    if (has_fast_paths || object != nullptr) [[likely]] {
        process_heap().deallocate(object);
    }
}

// As the heap says now, however this is compiled: that asks nothing of the caller. Objects may have guards to
// be looked at.
template <typename Heap = std::remove_reference_t<decltype(process_heap())>>
[[gnu::always_inline]] inline void release(void* object) {
    if constexpr (FastProcessHeap<Heap>) {
        Heap::entries().release(object);
    } else {
        deallocate(object);
    }
}

}  // namespace malloom::front
