// Arrays of structures whose fields lie in arrays of their own (Curial et al.: MPADS, where objects of a
// split structure are requested by number). All elements of one structure share a region of addresses: each
// part of it, the fields that stay together, has a range there with room for all elements, so the way from an
// element to its neighbours and to its other parts is the same for all of them.
#pragma once

#include "runtime/heaps/arrays/element_runs.h"
#include "runtime/heaps/arrays/run_cache.h"
#include "runtime/platform/address_span.h"

namespace malloom::heaps {

/// Of the structure. `element_bytes` outlives the region: what each part takes of an element, a multiple of
/// the part's alignment.
struct ArrayShape {
    uint32_t parts;
    size_t structure_bytes;  ///< an element's size to the program
    const unsigned* element_bytes;
};

/// Element i has its part j at begins[j] + i * element_bytes[j], and is known by the address of part 0. Its
/// memory is committed as far as elements were in use. All zero until open succeeds. Not thread-safe where
/// nothing else is said.
class ArrayRegion {
  public:
    static constexpr size_t line_bytes = 64;

    /// Finds addresses for so many bytes of structures, or for fewer where these are short or limited, but
    /// for `least_elements` at least, not 0. Fills in `begins`, multiples of line_bytes, which outlives the
    /// region. False where that fails or the shape cannot be. errno may change.
    bool open(const ArrayShape& shape, uintptr_t* begins, size_t wanted_bytes, size_t least_elements);
    /// Gives everything back.
    void close();
    /// The same where no element is in use; else all elements stay as they are, for good.
    void close_but_objects();

    /// So many consecutive elements, not 0; none without memory.
    ElementRuns::Taken take(size_t elements);
    /// The same, of a few elements that were given back or lie ready; mostly none. Thread-safe, also against
    /// take and give.
    ElementRuns::Taken take_fast(size_t elements) {
        const uint64_t units = units_of(elements);
        const uint32_t link = units <= longest_waiting_ ? cache_.take(static_cast<uint32_t>(units)) : 0;
        if (link == 0) {
            return {};
        }
        const auto taken = static_cast<uint32_t>(units);
        runs_.set_used(link - 1, taken);
        return {link - 1, taken, taken, false};
    }
    /// The first element's address.
    void* address_of(const ElementRuns::Taken& taken) const {
        return reinterpret_cast<void*>(begins_[0] + taken.first * first_part_bytes_);
    }
    /// Makes all parts zero. Thread-safe: it touches nothing else.
    void zero(const ElementRuns::Taken& taken) const;
    /// What take gave. Ends the program for any other address.
    void give(const void* first_element);
    /// The same of a few elements. False, and nothing has changed, for any other address, and where many were
    /// given back. Thread-safe, also against take and give.
    bool give_fast(const void* first_element) {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(first_element) - begins_[0];
        const uint64_t unit = offset / first_part_bytes_;
        const uint32_t units =
            offset % first_part_bytes_ == 0 ? runs_.set_waiting(unit, longest_waiting_) : 0;
        if (units == 0) {
            return false;
        }
        const auto first = static_cast<uint32_t>(unit);
        if (!cache_.put(units, first + 1)) {
            runs_.set_used(first, units);
            return false;
        }
        return true;
    }

    /// Whether the bytes lie in one part, of elements that were in use at some time. Thread-safe.
    bool holds(const void* address, size_t bytes) const;
    /// Whether the parts lie one after the other, with room for all elements each, memory is committed as far
    /// as elements were in use, and the runs are as they should be. Goes through all parts and runs.
    bool is_valid() const noexcept;
    /// How many elements it has room for.
    size_t room() const { return size_t{most_units_} << unit_shift_; }
    /// How many were in use at some time, at most.
    size_t used() const { return size_t{runs_.end()} << unit_shift_; }

  private:
    void measure(const ArrayShape& shape, uintptr_t* begins);
    bool reserve_most(uint64_t elements, uint64_t least_units);
    bool reserve(uint64_t units);
    bool lay_out(uint64_t units, size_t& bytes);
    ElementRuns::Taken take_units(uint32_t units);
    void fill_cache(uint32_t units);
    void empty_cache(uint32_t units);
    bool reach(uint64_t units);
    bool commit(uint64_t units);
    bool commit_range(uint32_t range, uint64_t units) const;
    uintptr_t committed_end(uint32_t range, uint64_t units) const;
    uintptr_t end_of(uint32_t range) const;
    bool has_room(uint32_t part) const { return place(part, most_units_) <= end_of(part); }
    uint32_t ranges() const { return shape_.parts + 1; }
    void discard(uint32_t first, uint32_t units) const;
    uint64_t units_of(size_t elements) const { return ((uint64_t{elements} - 1) >> unit_shift_) + 1; }
    size_t unit_bytes(uint32_t part) const { return size_t{shape_.element_bytes[part]} << unit_shift_; }
    uintptr_t place(uint32_t part, uint64_t unit) const { return begins_[part] + unit * unit_bytes(part); }

    ArrayShape shape_ = {};
    uintptr_t* begins_ = nullptr;
    platform::AddressSpan span_;
    uintptr_t base_ = 0;
    uintptr_t tags_ = 0;           ///< behind the parts, a byte a unit
    unsigned unit_shift_ = 0;      ///< elements of a unit
    size_t first_part_bytes_ = 0;  ///< of a unit
    size_t all_parts_bytes_ = 0;   ///< the same
    uint32_t most_units_ = 0;
    uint32_t committed_ = 0;        ///< units
    uint32_t least_discarded_ = 0;  ///< units
    uint32_t longest_waiting_ = 0;  ///< the same, of those in the cache
    size_t least_idle_ = 0;         ///< bytes that may be free and resident
    ElementRuns runs_;
    RunCache cache_;
    static_assert(RunCache::longest <= ElementRuns::most_waiting);
};

}  // namespace malloom::heaps
