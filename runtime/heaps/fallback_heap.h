// The general allocators behind the planned heaps: mimalloc or the C library. They serve what no other heap
// claims, and take care of every pointer that no heap here has handed out.
#pragma once

#include <mimalloc.h>

#include "runtime/heaps/heap.h"
#include "runtime/platform/real_allocator.h"

namespace malloom::heaps {

/// Which one; chosen once at start, before the first request.
enum class FallbackKind : uint8_t { mimalloc, system };

class FallbackHeap {
  public:
    void choose(FallbackKind kind) { system_ = kind == FallbackKind::system; }

    [[gnu::always_inline]] void* allocate(const Request& request) {
        if (request.bytes <= largest_bytes && request.alignment <= granule && !system_) [[likely]] {
            return mi_malloc(at_least_granule(request.bytes));
        }
        return allocate_otherwise(request.bytes, request.alignment);
    }

    /// `request.alignment` is 0.
    void* allocate_zeroed(const Request& request) {
        if (request.bytes <= largest_bytes && !system_) [[likely]] {
            return mi_zalloc(at_least_granule(request.bytes));
        }
        return platform::real::allocate_zeroed(1, request.bytes);
    }

    void* reallocate(void* object, const Request& request);

    // Not inlined: whoever frees into a heap before this one should not pay for its registers.
    [[gnu::noinline]] void deallocate(void* object);

    bool owns(const void*) const { return true; }

    size_t usable_size(const void* object) const {
        return is_mimalloc(object) ? mi_usable_size(object)
                                   : platform::real::usable_size(const_cast<void*>(object));
    }

  private:
    static constexpr size_t granule = 16;
    // Larger objects are mapped one by one by either allocator, and the C library can grow them without
    // copying. It also keeps mimalloc 2.0 away from the case that its mi_is_in_heap_region cannot tell:
    // segments beyond 1 GiB, which it leaves to the system to place.
    static constexpr size_t largest_bytes = size_t{16} << 20;

    // mimalloc aligns objects of 8 bytes to 8; the C library aligns all to 16.
    static size_t at_least_granule(size_t bytes) { return bytes > 8 ? bytes : 16; }

    [[gnu::always_inline]] bool is_mimalloc(const void* object) const {
        return !system_ && mi_is_in_heap_region(object);
    }

    [[gnu::noinline]] void* allocate_otherwise(size_t bytes, size_t alignment);

    bool system_ = false;
};

static_assert(CompleteHeap<FallbackHeap>);

}  // namespace malloom::heaps
