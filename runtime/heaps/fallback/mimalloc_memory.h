// The address range that mimalloc serves from. With a range of our own whose object is whose is one
// comparison.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::heaps {

/// One per process, as mimalloc is. All zero until open succeeds, and then it owns nothing.
struct MimallocMemory {
    uintptr_t base = 0;
    size_t bytes = 0;
    size_t plain_bytes = 0;  ///< `bytes`, where whoever frees there need not ask anybody else; or 0

    /// What is made usable at a time, where the system has so much.
    static constexpr size_t part_bytes = size_t{2} << 20;

    /// Reserves the range and starts mimalloc over it, as the only place to take memory from; once. False
    /// where address space or memory is too short for it: mimalloc must then not be used.
    bool open();

    [[gnu::always_inline]] bool owns(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - base < bytes;
    }
    [[gnu::always_inline]] bool owns_plain(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - base < plain_bytes;
    }

    // For mimalloc (mimalloc_port.h).
    void* take(size_t wanted, size_t alignment);
    void give_back(void* start, size_t given);
    bool open_pages(void* start, size_t wanted);

  private:
    struct Span {
        uintptr_t start;
        uintptr_t end;
    };

    bool start_within(void* range, size_t range_bytes);
    bool extend_map(uintptr_t end);
    bool is_open(size_t part) const;
    void set_open(size_t first, size_t end);

    uintptr_t untaken_ = 0;            ///< from here on nothing was taken yet
    uintptr_t* open_parts_ = nullptr;  ///< a bit for each part of the range, at its start
    Span given_back_[16] = {};         ///< in front of `untaken_`; what finds no place here is not used again
};

extern MimallocMemory mimalloc_memory;

}  // namespace malloom::heaps
