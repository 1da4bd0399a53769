#include "runtime/heaps/threads/thread_regions.h"

#include "runtime/platform/memory.h"

namespace malloom::heaps {

bool ThreadRegions::open(uintptr_t start, size_t bytes, size_t reserved) {
    const size_t units = bytes / unit_bytes;
    const size_t table = platform::round_up(reserved, sizeof(Unit));
    const size_t own = (table + units * sizeof(Unit) + unit_bytes - 1) / unit_bytes;
    if (units <= own || units > UINT32_MAX ||
        !platform::open_any_pages(reinterpret_cast<void*>(start), own * unit_bytes)) {
        return false;
    }
    table_ = reinterpret_cast<Unit*>(start + table);
    units_ = static_cast<uint32_t>(units);
    lowest_ = static_cast<uint32_t>(own);
    opened_end_ = lowest_;
    __atomic_store_n(&start_, start, __ATOMIC_RELAXED);
    __atomic_store_n(&bytes_, units * unit_bytes, __ATOMIC_RELEASE);
    return true;
}

// The first place that is long enough; 0, where the table lies, if there is none. While the system refuses
// memory, which whoever asks for an object would find out anew, only among what was open before.
uint32_t ThreadRegions::find(size_t units) const {
    const uint32_t end = left_out_ != 0 ? opened_end_ : units_;
    size_t run = 0;
    for (uint32_t unit = lowest_; unit < end; ++unit) {
        run = table_[unit].owner == 0 ? run + 1 : 0;
        if (run == units) {
            return unit + 1 - static_cast<uint32_t>(units);
        }
    }
    return 0;
}

ThreadRegions::Taken ThreadRegions::take(size_t bytes, uint32_t owner) {
    const size_t units = (bytes + unit_bytes - 1) / unit_bytes;
    const Taken taken = take_units(units, owner);
    return taken.start == nullptr && units > 1 ? take_units(1, owner) : taken;
}

ThreadRegions::Taken ThreadRegions::take_units(size_t units, uint32_t owner) {
    const uint32_t first = find(units);
    void* start = reinterpret_cast<void*>(start_ + size_t{first} * unit_bytes);
    left_out_ -= left_out_ != 0 ? 1 : 0;
    if (first == 0) {
        return {nullptr, 0};
    }
    if (!open_units(first, units)) {
        left_out_ = units == 1 ? left_out_after_refusal : 0;
        return {nullptr, 0};
    }
    for (size_t unit = 0; unit < units; ++unit) {
        table_[first + unit] = {owner, first};
    }
    lowest_ = first == lowest_ ? first + static_cast<uint32_t>(units) : lowest_;
    taken_ += static_cast<uint32_t>(units);
    __atomic_store_n(&most_taken_, taken_ > most_taken_ ? taken_ : most_taken_, __ATOMIC_RELAXED);
    __atomic_store_n(&regions_, regions_ + 1, __ATOMIC_RELAXED);
    return {start, units * unit_bytes};
}

bool ThreadRegions::open_units(uint32_t first, size_t units) {
    for (size_t unit = first; unit < first + units; ++unit) {
        if (!platform::open_any_pages(reinterpret_cast<void*>(start_ + unit * unit_bytes), unit_bytes)) {
            return false;
        }
    }
    const auto end = first + static_cast<uint32_t>(units);
    opened_end_ = end > opened_end_ ? end : opened_end_;
    return true;
}

size_t ThreadRegions::units_of(const void* region) const {
    const Unit* const first = &unit_of(region);
    const Unit* unit = first + 1;
    while (unit < table_ + units_ && unit->first == first->first) {
        ++unit;
    }
    return static_cast<size_t>(unit - first);
}

void ThreadRegions::discard(void* region) const {
    platform::discard_pages(region, units_of(region) * unit_bytes);
}

void ThreadRegions::give_back(void* region) {
    const Unit place = unit_of(region);
    const size_t units = units_of(region);
    for (size_t unit = 0; unit < units; ++unit) {
        table_[place.first + unit] = {0, 0};
    }
    lowest_ = place.first < lowest_ ? place.first : lowest_;
    taken_ -= static_cast<uint32_t>(units);
    __atomic_store_n(&regions_, regions_ - 1, __ATOMIC_RELAXED);
}

}  // namespace malloom::heaps
