#include "runtime/heaps/fallback_heap.h"

#include <string.h>

namespace malloom::platform::real {

const void* passed_over_library() {
    return reinterpret_cast<const void*>(&mi_malloc);
}

}  // namespace malloom::platform::real

namespace malloom::heaps {

namespace {

// Beyond this mimalloc 2.0 takes a mapping of its own.
constexpr size_t largest_alignment = size_t{1} << 20;

void* move(void* object, size_t old_bytes, void* moved, size_t bytes) {
    return moved == nullptr ? nullptr : memcpy(moved, object, old_bytes < bytes ? old_bytes : bytes);
}

}  // namespace

void FallbackHeap::deallocate(void* object) {
    if (is_mimalloc(object)) [[likely]] {
        mi_free(object);
    } else {
        platform::real::deallocate(object);
    }
}

void* FallbackHeap::allocate_otherwise(size_t bytes, size_t alignment) {
    if (alignment <= granule) {
        return platform::real::allocate(bytes);
    }
    if (system_ || bytes > largest_bytes || alignment > largest_alignment) {
        return platform::real::allocate_aligned(alignment, bytes);
    }
    return mi_malloc_aligned(at_least_granule(bytes), alignment);
}

void* FallbackHeap::reallocate(void* object, const Request& request) {
    const size_t bytes = request.bytes;
    if (!is_mimalloc(object)) {
        return platform::real::reallocate(object, bytes);
    }
    if (bytes <= largest_bytes) {
        return mi_realloc(object, at_least_granule(bytes));
    }
    void* moved = move(object, mi_usable_size(object), platform::real::allocate(bytes), bytes);
    if (moved != nullptr) {
        mi_free(object);
    }
    return moved;
}

}  // namespace malloom::heaps
