#include "runtime/heaps/fallback/fallback_heap.h"

#include <errno.h>
#include <string.h>

namespace malloom::platform::real {

const void* passed_over_library() {
    return reinterpret_cast<const void*>(&mi_malloc);
}

}  // namespace malloom::platform::real

namespace malloom::heaps {

namespace {

// Larger objects are mapped one by one by either allocator, and the C library can grow them without copying.
constexpr size_t mimalloc_limit = size_t{16} << 20;

// The second question finds what a program that uses mimalloc itself got before the range was there.
[[gnu::always_inline]] inline bool is_mimalloc(const void* object) {
    return mimalloc_memory.owns(object) || mi_is_in_heap_region(object);
}

// The C library's. Where a thread's arena is full it tries another one, and leaves ENOMEM behind although
// that has memory.
template <class Ask>
[[gnu::always_inline]] inline void* real_object(Ask ask) {
    const int error = errno;
    void* object = ask();
    if (object != nullptr) {
        errno = error;
    }
    return object;
}

void* real_allocate(size_t bytes) {
    return real_object([=] { return platform::real::allocate(bytes); });
}

}  // namespace

void FallbackHeap::choose(FallbackKind kind) {
    limit_ = kind == FallbackKind::mimalloc && mimalloc_memory.open() ? mimalloc_limit : 0;
}

void FallbackHeap::deallocate(void* object) {
    if (is_mimalloc(object)) [[likely]] {
        mi_free(object);
    } else {
        platform::real::deallocate_unknown(object);
    }
}

size_t FallbackHeap::usable_size(const void* object) const {
    return is_mimalloc(object) ? mi_usable_size(object)
                               : platform::real::usable_size(const_cast<void*>(object));
}

// What is too large for mimalloc, or aligned, or more than its range has left.
void* FallbackHeap::allocate_otherwise(size_t bytes, size_t alignment) {
    if (alignment <= granule) {
        return real_allocate(bytes);
    }
    if (bytes < limit_ && alignment <= largest_plain_alignment) {
        // Not mi_malloc_aligned: mimalloc 2.0.9 believes small powers of two to be aligned to their size.
        if (void* object = mi_malloc_aligned_at(at_least_granule(bytes), alignment, 0)) {
            return object;
        }
    }
    return real_object([=] { return platform::real::allocate_aligned(alignment, bytes); });
}

void* FallbackHeap::allocate_zeroed(const Request& request) {
    if (request.bytes < limit_) {
        if (void* object = mi_zalloc(at_least_granule(request.bytes))) [[likely]] {
            return object;
        }
    }
    return real_object([&] { return platform::real::allocate_zeroed(1, request.bytes); });
}

void* FallbackHeap::reallocate(void* object, const Request& request) {
    if (!is_mimalloc(object)) {
        return real_object([&] { return platform::real::reallocate(object, request.bytes); });
    }
    if (request.bytes < limit_) {
        if (void* same_or_moved = mi_realloc(object, at_least_granule(request.bytes))) [[likely]] {
            return same_or_moved;
        }
    }
    void* moved = real_allocate(request.bytes);
    if (moved != nullptr) {
        const size_t had = mi_usable_size(object);
        memcpy(moved, object, had < request.bytes ? had : request.bytes);
        mi_free(object);
    }
    return moved;
}

}  // namespace malloom::heaps
