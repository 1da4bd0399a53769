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

    /// Marks for a range that begins at a multiple of `granule`, in a span that outlives them. Addresses
    /// only, until objects begin. False where those are short.
    bool open(platform::AddressSpan& span, uintptr_t base, size_t bytes);
    void close();

    bool is_open() const { return bytes_ != 0; }
    [[gnu::always_inline]] bool covers(const void* address) const { return offset_of(address) < bytes_; }

    /// An object that begins at a multiple of `granule`. Not marked where the range does not lie, or where
    /// memory for the marks is short.
    [[gnu::always_inline]] void begin(const void* object) {
        if (is_reached(object)) [[likely]] {
            set(object);
        } else {
            begin_beyond(object);
        }
    }

    /// The object is none any more. False where none has begun there, or where it had ended: of threads that
    /// end one object exactly one gets true.
    [[gnu::always_inline]] bool end(const void* object) {
        if (!is_reached(object) || offset_of(object) % granule != 0) [[unlikely]] {
            return false;
        }
        const uintptr_t mark = living << shift_of(object);
        return (__atomic_fetch_and(&word_of(object), ~mark, __ATOMIC_RELEASE) & mark) != 0;
    }

    /// Whether an object begins there now.
    bool is_object(const void* address) const { return has(address, living); }
    /// Whether an object began there at some time.
    bool was_object(const void* address) const { return has(address, begun); }
    /// Whether objects begin at one of the addresses from `first` to `last`.
    bool have_object(const void* first, const void* last) const;
    /// Whether each granule of the range has its two bits in the table. A few comparisons.
    bool is_valid() const noexcept;
    /// Whether every object has got its mark.
    bool are_whole() const { return !__atomic_load_n(&are_missing_, __ATOMIC_RELAXED); }

  private:
    // What an object that ends leaves is `begun`.
    static constexpr uintptr_t living = 1;
    static constexpr uintptr_t begun = 2;
    static constexpr size_t granules_per_byte = 4;
    static constexpr size_t word_covers = sizeof(uintptr_t) * granules_per_byte * granule;

    size_t offset_of(const void* address) const { return reinterpret_cast<uintptr_t>(address) - base_; }
    static size_t table_bytes(size_t bytes) { return bytes / granule / granules_per_byte; }
    bool is_reached(const void* address) const { return table_bytes(offset_of(address)) < table_.usable(); }
    uintptr_t& word_of(const void* address) const {
        return reinterpret_cast<uintptr_t*>(table_.base())[offset_of(address) / word_covers];
    }
    size_t shift_of(const void* address) const { return offset_of(address) % word_covers / granule * 2; }
    [[gnu::always_inline]] void set(const void* object) {
        __atomic_fetch_or(&word_of(object), (living | begun) << shift_of(object), __ATOMIC_ACQUIRE);
    }
    bool has(const void* address, uintptr_t mark) const;
    [[gnu::noinline]] void begin_beyond(const void* object);

    uintptr_t base_ = 0;
    size_t bytes_ = 0;
    structures::GrowingRange table_;
    bool are_missing_ = false;  ///< for want of memory, some of them
};

}  // namespace malloom::heaps
