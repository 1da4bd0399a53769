// Regions for many heaps, out of one range of addresses.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::heaps {

/// The range is divided into units. A region is some units in a row, and a table says of each unit whose it
/// is: so the owner of an object is found by its address. All zero is a range of no bytes. Nothing here
/// locks: `take` and `give_back` are for one thread at a time, the others for all at any time.
class ThreadRegions {
  public:
    static constexpr size_t unit_bytes = size_t{1} << 20;

    /// `start` is a page's; the bytes are zeroed, or addresses, reserved or claimed, whose pages are opened
    /// as regions are taken, and outlive this. `reserved` of them, from the start on, are left to the caller,
    /// and open. False where there is no room for a unit beside the table, or no memory for that.
    bool open(uintptr_t start, size_t bytes, size_t reserved);

    [[gnu::always_inline]] bool covers(const void* address) const {
        // The bytes come last when the range is opened, so the start is there if they are.
        const size_t bytes = __atomic_load_n(&bytes_, __ATOMIC_ACQUIRE);
        return reinterpret_cast<uintptr_t>(address) - __atomic_load_n(&start_, __ATOMIC_RELAXED) < bytes;
    }

    /// Of an address that is covered: whose region it lies in, 0 where in none.
    [[gnu::always_inline]] uint32_t owner_of(const void* address) const { return unit_of(address).owner; }
    /// Where the region of an object begins.
    [[gnu::always_inline]] void* region_of(const void* object) const {
        return reinterpret_cast<void*>(start_ + size_t{unit_of(object).first} * unit_bytes);
    }

    /// Both.
    struct Place {
        uint32_t owner;
        void* region;
    };
    [[gnu::always_inline]] Place place_of(const void* object) const {
        const Unit unit = unit_of(object);
        return {unit.owner, reinterpret_cast<void*>(start_ + size_t{unit.first} * unit_bytes)};
    }

    struct Taken {
        void* start;  ///< null where there is no room or no memory
        size_t bytes;
    };
    /// A region for that owner, who is not 0: of about so many bytes, or of one unit where that is too much.
    Taken take(size_t bytes, uint32_t owner);
    /// The memory of a region that nothing lives in goes back to the system. Its addresses can be taken when
    /// `give_back` has returned. For any thread: it is the owner's until then.
    void discard(void* region) const;
    void give_back(void* region);

    /// For statistics; may be a moment old.
    uint32_t regions() const { return __atomic_load_n(&regions_, __ATOMIC_RELAXED); }
    size_t most_taken_bytes() const { return __atomic_load_n(&most_taken_, __ATOMIC_RELAXED) * unit_bytes; }

  private:
    static constexpr uint32_t left_out_after_refusal = 1024;

    struct Unit {
        uint32_t owner;
        uint32_t first;  ///< the region's first unit
    };

    [[gnu::always_inline]] Unit& unit_of(const void* address) const {
        return table_[(reinterpret_cast<uintptr_t>(address) - start_) / unit_bytes];
    }
    Taken take_units(size_t units, uint32_t owner);
    uint32_t find(size_t units) const;
    bool open_units(uint32_t first, size_t units);
    size_t units_of(const void* region) const;

    uintptr_t start_ = 0;
    size_t bytes_ = 0;
    Unit* table_ = nullptr;
    uint32_t units_ = 0;
    uint32_t lowest_ = 0;      ///< all units before it are taken
    uint32_t opened_end_ = 0;  ///< no unit from here on was ever open
    uint32_t left_out_ = 0;    ///< so many more regions come from before that alone
    uint32_t regions_ = 0;
    uint32_t taken_ = 0;       ///< units
    uint32_t most_taken_ = 0;  ///< ever at a time
};

}  // namespace malloom::heaps
