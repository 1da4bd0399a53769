// The address range that mimalloc serves from. With a range of our own whose object is whose is one
// comparison, and it is always right: mimalloc 2.0's mi_is_in_heap_region knows no segment above 20 TiB,
// where the system puts them when it does not follow mimalloc's hints.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::heaps {

/// One per process, as mimalloc is. All zero until open succeeds, and then it owns nothing.
struct MimallocMemory {
    uintptr_t base = 0;
    size_t bytes = 0;
    size_t plain_bytes = 0;   ///< `bytes`, where whoever frees there need not ask anybody else; or 0
    bool is_ample = false;    ///< more than the machine has memory
    bool is_limited = false;  ///< what is open and not used may be missing elsewhere

    /// What mimalloc takes from the range at a time, aligned to its size.
    static constexpr size_t segment_bytes = size_t{32} << 20;

    /// Reserves the range and gives it to mimalloc as the only place to take memory from; once. False where
    /// address space is too short for it: mimalloc must then not be used. From then on mimalloc sets errno
    /// where it has no memory. It opens its segments by parts.
    bool open();

    [[gnu::always_inline]] bool owns(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - base < bytes;
    }
    [[gnu::always_inline]] bool owns_plain(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - base < plain_bytes;
    }

    /// Whether the segment that mimalloc begins there should be opened whole, if the system has so much. No
    /// object begins there, and none is in the segment yet.
    bool opens_whole(const void* segment) const {
        return owns(segment) && !is_limited && reinterpret_cast<uintptr_t>(segment) % segment_bytes == 0;
    }
};

extern MimallocMemory mimalloc_memory;

}  // namespace malloom::heaps
