// How the objects of a split set lie: each part of an object is an element of an array of its own. The arrays
// lie one after the other in pools (Curial et al.: MPADS, section 2.2); those of arrays of structures, of
// which nobody knows how many there are, wherever the run time has begun each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/analysis/field.h"

namespace malloom::compiler {

/// Where a byte of an object lies: so many bytes into the object's element of an array.
struct Place {
    unsigned part;
    uint64_t within;

    bool operator==(const Place&) const = default;
};

/// Fields by the parts that they lie in, as numbers of fields, each in one part.
using Parts = std::vector<std::vector<unsigned>>;

class SplitLayout {
  public:
    /// Of fields that are disjoint and in the order of their offsets, of objects of whole_bytes. The first
    /// part is where an object's address leads. A pool has pool_bytes, a power of two. Nothing where a pool
    /// has no room for an object.
    static std::optional<SplitLayout> in_pools(std::vector<Field> fields, Parts parts, uint64_t whole_bytes,
                                               uint64_t pool_bytes);

    /// The same of arrays of structures of so many bytes each.
    static SplitLayout of_arrays(std::vector<Field> fields, Parts parts, uint64_t structure_bytes);

    const std::vector<Field>& fields() const { return fields_; }
    /// Of arrays of structures alone; else 0.
    uint64_t structure_bytes() const { return structure_bytes_; }
    bool is_of_arrays() const { return structure_bytes_ != 0; }
    /// Of pools alone, as is all that follows down to the object's bytes.
    uint64_t pool_bytes() const { return pool_bytes_; }
    /// Objects of a pool.
    uint64_t capacity() const { return capacity_; }
    /// What the run time takes an object's size for: it divides a pool by it, to know how many objects there
    /// are.
    uint64_t object_bytes() const { return pool_bytes_ / capacity_; }
    unsigned parts() const { return static_cast<unsigned>(parts_.size()); }
    /// Bytes from where a pool begins to the array, and to behind its last element: 0 of arrays of
    /// structures.
    uint64_t begin(unsigned part) const { return parts_[part].begin; }
    uint64_t end(unsigned part) const { return parts_[part].begin + capacity_ * parts_[part].element_bytes; }
    uint64_t element_bytes(unsigned part) const { return parts_[part].element_bytes; }

    /// Where a byte is in its object, and in which one from the first: of arrays alone another one.
    int64_t within(int64_t offset) const;
    int64_t structure_of(int64_t offset) const;
    /// The field that a byte is of, or null.
    const Field* field_at(uint64_t offset) const;
    /// Where a byte of a field lies.
    Place place_of(uint64_t offset) const;
    /// Where a pointer to so many bytes from an object's beginning leads: an object's own to the first part,
    /// others to the byte, and those to no field as far from the object's address as they ever were.
    Place place_of_pointer(int64_t offset) const;
    /// To how many bytes a place is aligned, whatever the object: a power of two, at most 16.
    uint64_t alignment_of(Place place) const;

    /// The rule of layouts that this one breaks, in words; null of a good one. Compiled code relies on each
    /// of them, so a program with a bad layout must not be made.
    const char* broken_rule() const;

  private:
    friend struct SeededFaults;  // tests break one rule after the other

    struct Part {
        std::vector<unsigned> members;
        uint64_t begin = 0, element_bytes = 0;
    };

    SplitLayout(std::vector<Field> fields, Parts parts, uint64_t structure_bytes);

    uint64_t alignment_of_field(const Field& field) const;
    void place_members(Part& part);
    bool find_room();
    void place_arrays();
    bool lies_in_pool() const;
    bool has_each_field_once() const;
    bool has_good_elements() const;
    const char* broken_rule_of_pools() const;

    std::vector<Field> fields_;
    std::vector<Place> places_;  ///< of fields
    std::vector<Part> parts_;
    uint64_t structure_bytes_ = 0;
    uint64_t whole_bytes_ = 0, pool_bytes_ = 0, capacity_ = 0;
};

}  // namespace malloom::compiler
