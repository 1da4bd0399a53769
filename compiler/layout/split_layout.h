// How the objects of a split set lie: each part of an object is an element of an array of its own. The arrays
// lie one after the other in pools (Curial et al.: MPADS, section 2.2); those of arrays of structures, of
// which nobody knows how many there are, wherever the run time has begun each of them.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/analysis/fields.h"

namespace malloom::compiler {

/// Where a byte of an object lies: so many bytes into the object's element of an array.
struct Place {
    unsigned part;
    uint64_t within;

    bool operator==(const Place&) const = default;
};

class SplitLayout {
  public:
    /// Fields by the parts that they lie in, as numbers of `fields`, which are disjoint and in the order of
    /// their offsets; each in one part. The first part is where an object's address leads. A pool has
    /// pool_bytes, a power of two, and room for an object.
    SplitLayout(std::vector<Field> fields, std::vector<std::vector<unsigned>> parts, uint64_t pool_bytes);

    /// The same of arrays of structures of so many bytes each.
    static SplitLayout of_arrays(std::vector<Field> fields, std::vector<std::vector<unsigned>> parts,
                                 uint64_t structure_bytes);

    const std::vector<Field>& fields() const { return fields_; }
    /// Of arrays of structures alone; else 0.
    uint64_t structure_bytes() const { return structure_bytes_; }
    bool is_of_arrays() const { return structure_bytes_ != 0; }
    /// Of pools alone, as is all that follows down to the object's bytes.
    uint64_t pool_bytes() const { return pool_bytes_; }
    /// Objects of a pool.
    uint64_t capacity() const { return capacity_; }
    /// What the run time takes an object's size for: the least of which a pool holds no more than `capacity`.
    uint64_t object_bytes() const { return pool_bytes_ / (capacity_ + 1) + 1; }
    unsigned parts() const { return static_cast<unsigned>(parts_.size()); }
    /// Bytes from where a pool begins to the array: 0 of arrays of structures.
    uint64_t begin(unsigned part) const { return parts_[part].begin; }
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

  private:
    struct Part {
        std::vector<unsigned> members;
        uint64_t begin = 0, element_bytes = 0;
    };

    SplitLayout(std::vector<Field> fields, uint64_t structure_bytes)
        : fields_(std::move(fields)), places_(fields_.size()), structure_bytes_(structure_bytes) {}

    void add_parts(std::vector<std::vector<unsigned>> parts);
    uint64_t alignment_of_field(const Field& field) const;
    void place_members(Part& part);
    bool place_arrays();

    std::vector<Field> fields_;
    std::vector<Place> places_;  ///< of fields
    std::vector<Part> parts_;
    uint64_t pool_bytes_ = 0, capacity_ = 0, structure_bytes_ = 0;
};

}  // namespace malloom::compiler
