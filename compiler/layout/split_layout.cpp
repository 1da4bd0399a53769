#include "compiler/layout/split_layout.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace malloom::compiler {

namespace {

constexpr uint64_t line_bytes = 64;
constexpr uint64_t most_alignment = 16;  // malloc's
constexpr uint64_t least_object = 16;    // the run time counts objects of a pool in as many bytes

/// What divides both, at most malloc's alignment.
uint64_t alignment_of_offset(uint64_t offset) {
    return std::min(most_alignment, offset == 0 ? most_alignment : offset & -offset);
}

/// Whether two arrays begin so that the same elements of both fall into the same sets of a first-level cache,
/// or look like the same address to a processor that compares its lowest twelve bits.
bool collide(uint64_t one, uint64_t other, uint64_t apart) {
    constexpr uint64_t page_bytes = 4096;
    const uint64_t distance = (one - other) % page_bytes;
    return std::min(distance, page_bytes - distance) < apart;
}

}  // namespace

SplitLayout::SplitLayout(std::vector<Field> fields, std::vector<std::vector<unsigned>> parts,
                         uint64_t pool_bytes)
    : fields_(std::move(fields)), places_(fields_.size()), pool_bytes_(pool_bytes) {
    add_parts(std::move(parts));
    uint64_t all = 0;
    for (const Part& part : parts_) {
        all += part.element_bytes;
    }
    capacity_ = pool_bytes / std::max(all, least_object);
    while (capacity_ > 1 && !place_arrays()) {
        --capacity_;
    }
    // The run time divides too, and loses what remains.
    capacity_ = pool_bytes / object_bytes();
    place_arrays();
}

SplitLayout SplitLayout::of_arrays(std::vector<Field> fields, std::vector<std::vector<unsigned>> parts,
                                   uint64_t structure_bytes) {
    SplitLayout made(std::move(fields), structure_bytes);
    made.add_parts(std::move(parts));
    return made;
}

void SplitLayout::add_parts(std::vector<std::vector<unsigned>> parts) {
    for (std::vector<unsigned>& members : parts) {
        place_members(parts_.emplace_back(Part{.members = std::move(members)}));
    }
}

/// What it is aligned to in every object: structures of an array lie one after the other.
uint64_t SplitLayout::alignment_of_field(const Field& field) const {
    return std::min({alignment_of_offset(field.offset), alignment_of_offset(structure_bytes_),
                     llvm::bit_ceil(field.bytes)});
}

/// Those that must be aligned most come first, so that little is left between them; and before all the field
/// that objects begin with, which then has the object's address.
void SplitLayout::place_members(Part& part) {
    std::ranges::stable_sort(part.members, std::ranges::greater(), [&](unsigned member) {
        return std::pair(fields_[member].offset == 0, alignment_of_field(fields_[member]));
    });
    uint64_t end = 0;
    uint64_t alignment = 1;
    for (const unsigned member : part.members) {
        const Field& field = fields_[member];
        alignment = std::max(alignment, alignment_of_field(field));
        places_[member] = {static_cast<unsigned>(parts_.size() - 1),
                           llvm::alignTo(end, alignment_of_field(field))};
        end = places_[member].within + field.bytes;
    }
    part.element_bytes = llvm::alignTo(end, alignment);
}

/// Arrays begin three lines apart from each other's place in a page, or as far as there is room for all.
/// False where they do not fit.
bool SplitLayout::place_arrays() {
    const uint64_t apart = parts_.size() <= 20 ? 3 * line_bytes : parts_.size() <= 60 ? line_bytes : 0;
    uint64_t end = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
        Part& part = parts_[i];
        part.begin = llvm::alignTo(end, std::min(line_bytes, pool_bytes_ / 64));
        const auto collides = [&] {
            return std::any_of(parts_.begin(), parts_.begin() + static_cast<ptrdiff_t>(i),
                               [&](const Part& other) { return collide(part.begin, other.begin, apart); });
        };
        while (end + line_bytes < pool_bytes_ && collides()) {
            part.begin += line_bytes;
            end = part.begin;
        }
        end = part.begin + capacity_ * part.element_bytes;
    }
    return end <= pool_bytes_;
}

int64_t SplitLayout::within(int64_t offset) const {
    return is_of_arrays() ? llvm::mod(offset, static_cast<int64_t>(structure_bytes_)) : offset;
}

int64_t SplitLayout::structure_of(int64_t offset) const {
    return is_of_arrays() ? llvm::divideFloorSigned(offset, static_cast<int64_t>(structure_bytes_)) : 0;
}

const Field* SplitLayout::field_at(uint64_t offset) const {
    const auto behind = std::ranges::upper_bound(fields_, offset, {}, &Field::offset);
    const Field* field = behind == fields_.begin() ? nullptr : &*(behind - 1);
    return field != nullptr && offset < field->end() ? field : nullptr;
}

Place SplitLayout::place_of(uint64_t offset) const {
    const Field* field = field_at(offset);
    const Place at = places_[static_cast<size_t>(field - fields_.data())];
    return {at.part, at.within + (offset - field->offset)};
}

Place SplitLayout::place_of_pointer(int64_t offset) const {
    const bool has_field = offset > 0 && field_at(static_cast<uint64_t>(offset)) != nullptr;
    return has_field ? place_of(static_cast<uint64_t>(offset)) : Place{0, static_cast<uint64_t>(offset)};
}

uint64_t SplitLayout::alignment_of(Place place) const {
    return std::min({alignment_of_offset(begin(place.part)), alignment_of_offset(element_bytes(place.part)),
                     alignment_of_offset(place.within)});
}

}  // namespace malloom::compiler
