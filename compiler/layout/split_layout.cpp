#include "compiler/layout/split_layout.h"

#include <algorithm>
#include <bit>

#include "checks/check.h"
#include "include/malloom/pools.h"

namespace malloom::compiler {

namespace {

constexpr uint64_t line_bytes = 64;
constexpr uint64_t page_bytes = 4096;
constexpr uint64_t most_alignment = 16;  // malloc's
constexpr uint64_t least_object = 16;    // the run time counts objects of a pool in as many bytes

uint64_t round_up(uint64_t bytes, uint64_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
}

/// What divides both, at most malloc's alignment.
uint64_t alignment_of_offset(uint64_t offset) {
    return std::min(most_alignment, offset == 0 ? most_alignment : offset & -offset);
}

/// How far arrays begin from each other's place in a page, in bytes: three lines, or as many as are left for
/// each of so many arrays wherever those before it begin; 0 of more than a page has lines.
uint64_t distance_in_page(size_t arrays) {
    constexpr uint64_t most_lines = 3, lines = page_bytes / line_bytes;
    // An array that has begun leaves no place for others in 2 * distance - 1 lines around it.
    return arrays < 2 ? 0 : line_bytes * std::min(most_lines, ((lines - 1) / (arrays - 1) + 1) / 2);
}

/// Whether two arrays begin so that the same elements of both fall into the same sets of a first-level cache,
/// or look like the same address to a processor that compares its lowest twelve bits.
bool collide(uint64_t one, uint64_t other, uint64_t apart) {
    const uint64_t distance = (one - other) % page_bytes;
    return std::min(distance, page_bytes - distance) < apart;
}

}  // namespace

SplitLayout::SplitLayout(std::vector<Field> fields, Parts parts, uint64_t structure_bytes)
    : fields_(std::move(fields)), places_(fields_.size()), structure_bytes_(structure_bytes) {
    for (std::vector<unsigned>& members : parts) {
        place_members(parts_.emplace_back(Part{.members = std::move(members)}));
    }
}

std::optional<SplitLayout> SplitLayout::in_pools(std::vector<Field> fields, Parts parts, uint64_t whole_bytes,
                                                 uint64_t pool_bytes) {
    SplitLayout made(std::move(fields), std::move(parts), 0);
    made.whole_bytes_ = whole_bytes;
    made.pool_bytes_ = pool_bytes;
    return made.find_room() ? std::optional(std::move(made)) : std::nullopt;
}

SplitLayout SplitLayout::of_arrays(std::vector<Field> fields, Parts parts, uint64_t structure_bytes) {
    return {std::move(fields), std::move(parts), structure_bytes};
}

/// What it is aligned to in every object: structures of an array lie one after the other.
uint64_t SplitLayout::alignment_of_field(const Field& field) const {
    return std::min({alignment_of_offset(field.offset), alignment_of_offset(structure_bytes_),
                     std::bit_ceil(field.bytes)});
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
                           round_up(end, alignment_of_field(field))};
        end = places_[member].within + field.bytes;
    }
    part.element_bytes = round_up(end, alignment);
}

/// For as many objects as fit with what is left between their arrays; false where not even one does. The run
/// time divides a pool by a whole number of bytes, so only what such a division gives is tried.
bool SplitLayout::find_room() {
    uint64_t bytes = 0;
    for (const Part& part : parts_) {
        bytes += part.element_bytes;
    }
    for (bytes = std::max(bytes, least_object); bytes <= pool_bytes_; bytes = pool_bytes_ / capacity_ + 1) {
        capacity_ = pool_bytes_ / bytes;
        place_arrays();
        if (lies_in_pool()) {
            return true;
        }
    }
    return false;
}

/// Each behind the one before, and away from the places in a page where others begin.
void SplitLayout::place_arrays() {
    const uint64_t apart = distance_in_page(parts_.size());
    uint64_t end = 0;
    for (unsigned i = 0; i < parts(); ++i) {
        Part& part = parts_[i];
        part.begin = round_up(end, line_bytes);
        const auto collides = [&] {
            return std::any_of(parts_.begin(), parts_.begin() + i,
                               [&](const Part& other) { return collide(part.begin, other.begin, apart); });
        };
        while (collides()) {
            part.begin += line_bytes;
        }
        end = this->end(i);
    }
}

/// Whether the last array ends in it. So must as many bytes from each object's address on as the program
/// takes it to have: a pointer to what is no field is as far from there, and its lowest bits tell which
/// object it is of.
bool SplitLayout::lies_in_pool() const {
    const uint64_t last_object = (capacity_ - 1) * element_bytes(0);
    return end(parts() - 1) <= pool_bytes_ && (parts() == 1 || last_object + whole_bytes_ <= pool_bytes_);
}

bool SplitLayout::has_each_field_once() const {
    std::vector<unsigned> times(fields_.size(), 0);
    for (unsigned i = 0; i < parts(); ++i) {
        for (const unsigned member : parts_[i].members) {
            if (member >= fields_.size() || places_[member].part != i) {
                return false;
            }
            ++times[member];
        }
    }
    return std::ranges::all_of(times, [](unsigned each) { return each == 1; });
}

/// Whether fields of one element lie in it, behind each other, and as they are aligned in the structure.
bool SplitLayout::has_good_elements() const {
    return std::ranges::all_of(parts_, [this](const Part& part) {
        uint64_t end = 0;
        for (const unsigned member : part.members) {
            const uint64_t within = places_[member].within;
            const uint64_t alignment = alignment_of_field(fields_[member]);
            if (within < end || within % alignment != 0 || part.element_bytes % alignment != 0) {
                return false;
            }
            end = within + fields_[member].bytes;
        }
        return end != 0 && end <= part.element_bytes;
    });
}

const char* SplitLayout::broken_rule_of_pools() const {
    uint64_t end = 0, object = least_object;
    for (unsigned i = 0; i < parts(); ++i) {
        if (begin(i) < end || begin(i) % line_bytes != 0) {
            return "each array begins at a line, behind the array before it";
        }
        end = this->end(i);
        object = std::max(object, element_bytes(i));
    }
    if (begin(0) != 0) {
        return "the first array begins where its pool does";
    }
    if (!lies_in_pool()) {
        return "each array lies in its pool";
    }
    const bool is_counted = object_bytes() >= object && pool_bytes_ / object_bytes() == capacity_;
    return is_counted ? nullptr : "the run time counts as many objects in a pool as its arrays have elements";
}

const char* SplitLayout::broken_rule() const {
    if (parts_.empty() || parts_.size() > MALLOOM_MOST_PARTS) {
        return "there is an array, and not more of them than the run time takes";
    }
    if (!has_each_field_once()) {
        return "each field lies in one array";
    }
    if (!has_good_elements()) {
        return "the fields of an element lie behind each other in it, aligned as in the structure";
    }
    return is_of_arrays() ? nullptr : broken_rule_of_pools();
}

int64_t SplitLayout::within(int64_t offset) const {
    return offset - structure_of(offset) * static_cast<int64_t>(structure_bytes_);
}

int64_t SplitLayout::structure_of(int64_t offset) const {
    if (!is_of_arrays()) {
        return 0;
    }
    const auto bytes = static_cast<int64_t>(structure_bytes_);
    return offset / bytes - (offset % bytes < 0 ? 1 : 0);
}

const Field* SplitLayout::field_at(uint64_t offset) const {
    const auto behind = std::ranges::upper_bound(fields_, offset, {}, &Field::offset);
    const Field* field = behind == fields_.begin() ? nullptr : &*(behind - 1);
    return field != nullptr && offset < field->end() ? field : nullptr;
}

Place SplitLayout::place_of(uint64_t offset) const {
    const Field* field = field_at(offset);
    MALLOOM_CHECK(field != nullptr);
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
