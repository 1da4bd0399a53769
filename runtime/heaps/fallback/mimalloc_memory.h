// The address range that mimalloc serves from. With a range of our own whose object is whose is one
// comparison.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/platform/address_span.h"
#include "runtime/structures/growing_range.h"

namespace malloom::heaps {

/// What may be chosen of how mimalloc has its memory.
struct MimallocTuning {
    static constexpr long usual_delay = -2;  ///< mimalloc's own
    static constexpr long never = -1;

    bool huge_pages = false;         ///< whether its memory becomes huge pages, 2 MiB at a time
    long purge_delay = usual_delay;  ///< milliseconds until what is not used goes back to the system
};

/// One per process, as mimalloc is. All zero until open succeeds, and then it owns nothing.
struct MimallocMemory {
    uintptr_t base = 0;
    size_t bytes = 0;
    size_t plain_bytes = 0;           ///< `bytes`, where whoever frees there need not ask anybody else; or 0
    platform::AddressSpan addresses;  ///< what the range lies in, with room for tables of a 64th of it

    /// What is opened at a time at most, where the system has so much.
    static constexpr size_t part_bytes = size_t{2} << 20;

    /// Claims the range and starts mimalloc over it, as the only place to take memory from; once. False where
    /// address space or memory is too short for it: mimalloc must then not be used.
    bool open(const MimallocTuning& tuning);

    [[gnu::always_inline]] bool owns(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - base < bytes;
    }
    [[gnu::always_inline]] bool owns_plain(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - base < plain_bytes;
    }

    /// Called now and then as the memory grows, by a fourth at least, within mimalloc's lock: it must not
    /// allocate. Before the first request.
    using OnGrowth = void (*)(void* argument);
    void on_growth(OnGrowth told, void* argument) {
        told_ = told;
        told_argument_ = argument;
    }

    // For mimalloc (mimalloc_port.h). is_open is for all threads, the others for one at a time.
    void* take(size_t wanted, size_t alignment);
    void give_back(void* start, size_t given);
    bool is_open(const void* start, size_t wanted) const;
    bool open_pages(void* start, size_t wanted);
    /// Holes in what is open, and a part behind it, of what was taken.
    void open_more();
    /// What was opened is not needed any more: its memory goes back. True where its pages go too, as the
    /// system has refused some, or the process has a limit: who needs them again has to open them.
    bool close_pages(void* start, size_t given);

  private:
    struct Span {
        uintptr_t start;
        uintptr_t end;
    };

    enum class Left : uint8_t {
        closed,       ///< they are gone
        empty,        ///< they read as zero
        as_they_are,  ///< the system keeps them, as those that are locked
    };
    Left leave_pages(void* start, size_t given);

    bool start_within(size_t range_bytes, const MimallocTuning& tuning);
    void note_growth();
    void advise(uintptr_t start, size_t length) const;
    bool extend_tables(uintptr_t end);
    bool is_open(size_t slice) const;
    bool open_slices(size_t first, size_t end);
    size_t step() const;

    uintptr_t untaken_ = 0;  ///< from here on nothing was taken yet
    size_t opened_ = 0;      ///< slices
    size_t tell_at_ = 0;     ///< of them
    OnGrowth told_ = nullptr;
    void* told_argument_ = nullptr;
    bool is_huge_ = false;                  ///< in huge pages
    bool is_tight_ = false;                 ///< what is open and not in use may be what others are refused
    structures::GrowingRange open_slices_;  ///< a bit for each slice
    structures::GrowingRange map_;          ///< malloom_mimalloc_range's
    Span given_back_[16] = {};  ///< in front of `untaken_`; what finds no place here is not used again
};

extern MimallocMemory mimalloc_memory;

}  // namespace malloom::heaps
