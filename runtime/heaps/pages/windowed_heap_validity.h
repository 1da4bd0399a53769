// What has to hold of the heap behind windows, whole: part of windowed_heap.h, which includes it.
#pragma once

#include "runtime/heaps/pages/windowed_heap.h"

namespace malloom::heaps::pages {

template <class Unit, class G>
bool WindowedHeap<Unit, G>::is_valid_list(uint32_t size_class) const noexcept {
    const Window* const end = &with_room_[size_class];
    const Window* previous = end;
    for (const Window* window = end->next; window != end; window = window->next) {
        const uint32_t begin = window->operand - size_class;
        const Region* const region = runs_.region_of(at(begin));
        if (window->previous != previous || window->free == 0 || (window->free & ~all_of(size_class)) != 0 ||
            region == nullptr) {
            return false;
        }
        const size_t page = (begin - region->base()) >> G::page_shift;
        const Window* const windows = windows_of(region->directory()[page]);
        const uint32_t number = (begin & (page_bytes - 1)) >> G::shift_of(size_class);
        if (region->directory()[page] != entry_of(windows, size_class) ||
            windows + number / chunks_of_window != window) {
            return false;
        }
        previous = window;
    }
    return end->previous == previous;
}

template <class Unit, class G>
bool WindowedHeap<Unit, G>::is_valid() noexcept {
    take_windows_back();
    bool are_valid = runs_.is_valid();
    for (uint32_t size_class = 0; size_class < G::classes; ++size_class) {
        are_valid &= is_valid_list(size_class);
    }
    return are_valid;
}

}  // namespace malloom::heaps::pages
