#include "runtime/heaps/arrays/array_region.h"

#include <string.h>

#include "checks/check.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::heaps {

namespace {

using platform::page_bytes;
using platform::round_down;
using platform::round_up;

// From one part to the next, so that neighbours in an element do not share a cache set.
constexpr size_t stagger_bytes = 3 * ArrayRegion::line_bytes;
constexpr size_t stagger_span = 4096;

// Committed beyond what is needed: a part of it, and at least so many bytes.
constexpr unsigned commit_share = 8;
constexpr size_t least_commit = size_t{256} << 10;

// Free memory that stays resident: a share of what was in use at most, and at least so many bytes. What was
// given back and is wanted again makes these more, as the C library does it.
constexpr unsigned kept_share = 16;
constexpr size_t least_kept = size_t{1} << 20, most_kept = size_t{32} << 20;
// Of a run that waits in the cache.
constexpr size_t most_waiting_bytes = 4096;
// A free run goes back whose largest part has so many bytes.
constexpr size_t least_discarded_bytes = size_t{16} << 10;

size_t stagger_of(uint32_t part) {
    return part * stagger_bytes % stagger_span;
}

// As few elements as have room for a list's links in part 0, a power of two.
unsigned unit_shift_of(size_t first_bytes) {
    unsigned shift = 0;
    while (first_bytes << shift < ElementRuns::list_bytes) {
        ++shift;
    }
    return shift;
}

bool can_be(const ArrayShape& shape) {
    bool has_all = shape.parts != 0 && shape.structure_bytes != 0;
    for (uint32_t part = 0; has_all && part < shape.parts; ++part) {
        has_all = shape.element_bytes[part] != 0;
    }
    return has_all;
}

bool add_product(size_t& sum, size_t a, size_t b) {
    size_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum) &&
           sum < SIZE_MAX - page_bytes();
}

}  // namespace

bool ArrayRegion::open(const ArrayShape& shape, uintptr_t* begins, size_t wanted_bytes,
                       size_t least_elements) {
    if (!can_be(shape)) {
        return false;
    }
    measure(shape, begins);
    const size_t limit = platform::address_space_limit();
    const size_t bytes = limit < wanted_bytes ? limit : wanted_bytes;
    if (!reserve_most(bytes / shape.structure_bytes, units_of(least_elements))) {
        return false;
    }
    runs_.open(reinterpret_cast<uint8_t*>(tags_), begins_[0], first_part_bytes_);
    return true;
}

void ArrayRegion::measure(const ArrayShape& shape, uintptr_t* begins) {
    shape_ = shape;
    begins_ = begins;
    unit_shift_ = unit_shift_of(shape.element_bytes[0]);
    first_part_bytes_ = unit_bytes(0);
    all_parts_bytes_ = first_part_bytes_;
    size_t largest = first_part_bytes_;
    for (uint32_t part = 1; part < shape.parts; ++part) {
        all_parts_bytes_ += unit_bytes(part);
        largest = largest < unit_bytes(part) ? unit_bytes(part) : largest;
    }
    least_discarded_ = static_cast<uint32_t>(least_discarded_bytes / largest + 1);
    const size_t longest = most_waiting_bytes / all_parts_bytes_;
    longest_waiting_ = static_cast<uint32_t>(longest < RunCache::longest ? longest : RunCache::longest);
    least_idle_ = least_kept;
}

// As many units as can be had, by halves.
bool ArrayRegion::reserve_most(uint64_t elements, uint64_t least_units) {
    uint64_t units = elements >> unit_shift_;
    units = units < ElementRuns::most_units ? units : ElementRuns::most_units;
    while (units > least_units && !reserve(units)) {
        units /= 2;
    }
    return units > least_units || reserve(least_units);
}

bool ArrayRegion::reserve(uint64_t units) {
    size_t bytes = 0;
    base_ = 0;
    if (units > ElementRuns::most_units || !lay_out(units, bytes)) {
        return false;
    }
    if (!span_.open(bytes)) {
        return false;
    }
    base_ = span_.take(bytes, page_bytes());
    most_units_ = static_cast<uint32_t>(units);
    return lay_out(units, bytes);
}

// From base_ on: each part in whole pages, then the tags.
bool ArrayRegion::lay_out(uint64_t units, size_t& bytes) {
    bytes = 0;
    for (uint32_t part = 0; part < shape_.parts; ++part) {
        begins_[part] = base_ + bytes + stagger_of(part);
        bytes += stagger_of(part);
        if (!add_product(bytes, units, unit_bytes(part))) {
            return false;
        }
        bytes = round_up(bytes, page_bytes());
    }
    tags_ = base_ + bytes;
    return add_product(bytes, units, 1);
}

void ArrayRegion::close() {
    for (uint32_t range = 0; span_.is_open() && range < ranges(); ++range) {
        const uintptr_t begin = committed_end(range, 0);
        span_.close_pages(begin, committed_end(range, committed_) - begin);
        span_.give_back(begin, end_of(range));
    }
    span_.close();
    *this = ArrayRegion();
}

void ArrayRegion::close_but_objects() {
    if (!runs_.is_any_used()) {
        close();
        return;
    }
    for (uint32_t range = 0; range < ranges(); ++range) {
        span_.give_back(committed_end(range, committed_), end_of(range));
    }
    span_.leave();
    *this = ArrayRegion();
}

// Where the next one begins.
uintptr_t ArrayRegion::end_of(uint32_t range) const {
    return range + 1 < ranges() ? committed_end(range + 1, 0) : committed_end(range, most_units_);
}

ElementRuns::Taken ArrayRegion::take(size_t elements) {
    const uint64_t units = units_of(elements);
    if (units > most_units_) {
        return {};
    }
    const auto wanted = static_cast<uint32_t>(units);
    const ElementRuns::Taken taken = take_units(wanted);
    if (wanted <= longest_waiting_ && taken.units != 0) {
        fill_cache(wanted);
    }
    return taken;
}

ElementRuns::Taken ArrayRegion::take_units(uint32_t units) {
    ElementRuns::Taken taken = runs_.take_free(units);
    if (taken.units == 0 && reach(runs_.end_after(units))) {
        taken = runs_.take_last(units);
    }
    if (taken.was_discarded) {
        const size_t bytes = 2 * taken.units * all_parts_bytes_;
        const size_t bound = bytes < most_kept ? bytes : most_kept;
        least_idle_ = least_idle_ > bound ? least_idle_ : bound;
    }
    return taken;
}

// The next ones, in the order of their addresses where they are fresh.
void ArrayRegion::fill_cache(uint32_t units) {
    for (unsigned more = cache_.next_batch(units); more > 1; --more) {
        const ElementRuns::Taken next = take_units(units);
        if (next.units == 0) {
            return;
        }
        runs_.set_waiting(next.first, units);
        if (!cache_.put(units, next.first + 1)) {  // others were giving some back
            runs_.set_used(next.first, units);
            runs_.give(next.first);
            return;
        }
    }
}

// A half, so that it has room for the next ones.
void ArrayRegion::empty_cache(uint32_t units) {
    for (unsigned i = 0; i < RunCache::most / 2; ++i) {
        const uint32_t link = cache_.take(units);
        if (link == 0) {
            return;
        }
        runs_.set_used(link - 1, units);
        runs_.give(link - 1);
    }
}

bool ArrayRegion::reach(uint64_t units) {
    if (units <= committed_) {
        return true;
    }
    if (units > most_units_) {
        return false;
    }
    const uint64_t share = units / commit_share, least = least_commit / all_parts_bytes_;
    const uint64_t ahead = units + (share > least ? share : least);
    return commit(ahead < most_units_ ? ahead : most_units_) || commit(units);
}

bool ArrayRegion::is_valid() const noexcept {
    bool is_apart = begins_[0] >= base_ && runs_.end() <= committed_ && committed_ <= most_units_;
    for (uint32_t part = 0; is_apart && part < shape_.parts; ++part) {
        is_apart = begins_[part] % line_bytes == 0 && has_room(part);
    }
    return is_apart && runs_.is_valid();
}

// All of it, or nothing.
bool ArrayRegion::commit(uint64_t units) {
    MALLOOM_CHECK_FULL(is_valid());
    uint32_t range = 0;
    while (range < ranges() && commit_range(range, units)) {
        ++range;
    }
    if (range == ranges()) {
        committed_ = static_cast<uint32_t>(units);
        return true;
    }
    while (range-- > 0) {
        const uintptr_t from = committed_end(range, committed_);
        span_.close_pages(from, committed_end(range, units) - from);
    }
    return false;
}

bool ArrayRegion::commit_range(uint32_t range, uint64_t units) const {
    const uintptr_t from = committed_end(range, committed_), to = committed_end(range, units);
    return from == to || span_.open_pages(from, to - from);
}

// Behind the pages that so many units need of a part, or of the tags, which are the last range.
uintptr_t ArrayRegion::committed_end(uint32_t range, uint64_t units) const {
    const uintptr_t end = range < shape_.parts ? place(range, units) : tags_ + units;
    return units == 0 ? round_down(end, page_bytes()) : round_up(end, page_bytes());
}

// What never was in use is zero. So is what has no page, which the program may never ask for; but the pages
// at the ends may have one, and where the system took none all have.
void ArrayRegion::zero(const ElementRuns::Taken& taken) const {
    for (uint32_t part = 0; taken.used_before != 0 && part < shape_.parts; ++part) {
        const uintptr_t from = place(part, taken.first), end = from + taken.used_before * unit_bytes(part);
        const uintptr_t first = round_up(from, page_bytes()), last = round_down(end, page_bytes());
        const bool is_rest_zero = taken.was_discarded && first < last &&
                                  platform::discard_pages(reinterpret_cast<void*>(first), last - first);
        memset(reinterpret_cast<void*>(from), 0, (is_rest_zero ? first : end) - from);
        if (is_rest_zero) {
            memset(reinterpret_cast<void*>(last), 0, end - last);
        }
    }
}

void ArrayRegion::give(const void* first_element) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(first_element) - begins_[0];
    const uint64_t unit = offset / first_part_bytes_;
    const bool begins = offset % first_part_bytes_ == 0;
    if (!begins || !runs_.is_run(unit)) {
        platform::abort_with(begins && runs_.is_free(unit)
                                 ? "malloom: free of an object that was freed before"
                                 : "malloom: free of an address where no object begins");
    }
    const uint32_t given = runs_.give(static_cast<uint32_t>(unit));
    if (given <= longest_waiting_) {
        empty_cache(given);
    }
    const uint64_t share = runs_.end() / kept_share;
    const uint64_t idle = runs_.idle_units();
    if (idle > share && idle * all_parts_bytes_ > least_idle_) {
        runs_.discard_idle(least_discarded_,
                           [this](uint32_t first, uint32_t units) { discard(first, units); });
    }
}

// Whole pages of each part, but for the one that the list of free runs needs.
void ArrayRegion::discard(uint32_t first, uint32_t units) const {
    for (uint32_t part = 0; part < shape_.parts; ++part) {
        MALLOOM_CHECK(has_room(part));  // else another part would lose what it holds
        const uintptr_t kept = place(part, first) + (part == 0 ? ElementRuns::list_bytes : 0);
        const uintptr_t from = round_up(kept, page_bytes());
        const uintptr_t to = round_down(place(part, uint64_t{first} + units), page_bytes());
        if (from < to) {
            platform::discard_pages(reinterpret_cast<void*>(from), to - from);
        }
    }
}

bool ArrayRegion::holds(const void* address, size_t bytes) const {
    const uint64_t used = runs_.end();
    for (uint32_t part = 0; part < shape_.parts; ++part) {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(address) - begins_[part];
        const size_t held = used * unit_bytes(part);
        if (offset < held && bytes <= held - offset) {
            return true;
        }
    }
    return false;
}

}  // namespace malloom::heaps
