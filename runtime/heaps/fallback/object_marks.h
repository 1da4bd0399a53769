// Which addresses of a range objects begin at, and began at. Beside the range, so that what a program writes
// past its objects does no harm here.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/structures/growing_range.h"

namespace malloom::heaps {

/// Two bits for each granule. All zero is closed, and then it covers nothing. Thread-safe once it is open,
/// for signal handlers too; takes no lock.
class ObjectMarks {
  public:
    static constexpr size_t granule = 16;

    /// Marks for a range that begins at a multiple of `granule`. Address space only, until objects begin.
    /// False where that is short.
    bool open(uintptr_t base, size_t bytes);
    void close();

    bool is_open() const { return bytes_ != 0; }
    [[gnu::always_inline]] bool covers(const void* address) const { return offset_of(address) < bytes_; }

    /// An object that begins at a multiple of `granule`. Not noted where the range does not lie, or where
    /// memory for the marks is short.
    [[gnu::always_inline]] void begin(const void* object) {
        const size_t granules = offset_of(object) / granule;
        if (granules / granules_per_byte < table_.usable() || has_reached(granules)) [[likely]] {
            __atomic_fetch_or(word_of(granules), (living | begun) << shift_of(granules), __ATOMIC_RELAXED);
        }
    }

    /// The object is none any more. False where none has begun there, or where it had ended: of threads that
    /// end one object exactly one gets true.
    [[gnu::always_inline]] bool end(const void* object) {
        const size_t offset = offset_of(object);
        const size_t granules = offset / granule;
        const uint64_t mark = living << shift_of(granules);
        return offset % granule == 0 && granules / granules_per_byte < table_.usable() &&
               (__atomic_fetch_and(word_of(granules), ~mark, __ATOMIC_RELAXED) & mark) != 0;
    }

    /// Whether an object begins there now.
    bool is_object(const void* address) const { return has(address, living); }
    /// Whether an object began there at some time.
    bool was_object(const void* address) const { return has(address, begun); }
    /// Whether objects begin at one of the addresses from `first` to `last`.
    bool have_object(const void* first, const void* last) const;
    /// Whether every object has got its mark.
    bool are_whole() const { return !__atomic_load_n(&are_missing_, __ATOMIC_RELAXED); }

  private:
    // What an object that ends leaves is `begun`.
    static constexpr uint64_t living = 1;
    static constexpr uint64_t begun = 2;
    static constexpr size_t granules_per_word = 32;
    static constexpr size_t granules_per_byte = 4;

    size_t offset_of(const void* address) const { return reinterpret_cast<uintptr_t>(address) - base_; }
    uint64_t* word_of(size_t granules) const {
        return reinterpret_cast<uint64_t*>(table_.base()) + granules / granules_per_word;
    }
    static size_t shift_of(size_t granules) { return granules % granules_per_word * 2; }
    bool has(const void* address, uint64_t mark) const;
    [[gnu::noinline]] bool has_reached(size_t granules);

    uintptr_t base_ = 0;
    size_t bytes_ = 0;
    structures::GrowingRange table_;
    bool are_missing_ = false;  ///< for want of memory, some of them
};

}  // namespace malloom::heaps
