// What of the heap behind windows asks for windows that the unit has: part of windowed_heap.h, which includes
// it.
#pragma once

#include "checks/check.h"
#include "runtime/heaps/pages/windowed_heap.h"

namespace malloom::heaps::pages {

// A unit says which chunks of a window are free when it gives them back. It has them again afterwards; one
// with several windows of a class may refuse, as it is another one's turn to be replaced.
template <class Unit, class G>
bool WindowedHeap<Unit, G>::is_free_in_unit(const Place& place) {
    Window& window = *place.window;
    const uint32_t span = chunks_of_window << G::shift_of(place.size_class);
    for (uint32_t number = place.size_class;; number += G::classes) {
        const uint32_t lowest = ask<WindowRequest::peek>(number);
        if (lowest == no_such_window) {
            return false;
        }
        if ((lowest & refused) != 0 || (lowest ^ window.operand) >= (span < page_bytes ? span : page_bytes)) {
            continue;
        }
        const uint32_t free = ask<WindowRequest::drain>(number);
        const uint32_t taken = ask<WindowRequest::fill>(window.operand, free);
        if (taken != still_has_chunks) {
            // Who takes the unit in between leaves a window out of which nothing is free.
            if (static_cast<GiveAnswer>(ask<WindowRequest::give>(taken)) != GiveAnswer::given) {
                window.free = free & (~free + 1);
                enter_list(window, place.size_class);
            }
        } else {
            window.free = free;
            enter_list(window, place.size_class);
        }
        return (free & place.bit) != 0;
    }
}

template <class Unit, class G>
void WindowedHeap<Unit, G>::take_windows_back() {
    for (uint32_t number = 0;; ++number) {
        const uint32_t lowest = ask<WindowRequest::peek>(number);
        if (lowest == no_such_window) {
            return;
        }
        const uint32_t free = ask<WindowRequest::drain>(number);
        if ((lowest & refused) != 0) {
            continue;
        }
        Region& region = *runs_.region_of(at(lowest));
        const uintptr_t offset = lowest - region.base();
        const size_t page = offset >> G::page_shift;
        const uintptr_t entry = region.directory()[page];
        const uint32_t size_class = class_of_entry(entry);
        const auto within = static_cast<uint32_t>(offset & (page_bytes - 1));
        Window& window = windows_of(entry)[(within >> G::shift_of(size_class)) / chunks_of_window];
        MALLOOM_CHECK(window.free == 0);
        window.free = free;
        enter_list(window, size_class);
        look_after_empty(region, page);
    }
}

template <class Unit, class G>
void WindowedHeap<Unit, G>::give_back_empty() {
    take_windows_back();
    for (uint32_t size_class = 0; size_class < G::classes; ++size_class) {
        const Window* const end = &with_room_[size_class];
        for (const Window* window = end->next; window != end;) {
            const uint32_t begin = window->operand - size_class;
            Region& region = *runs_.region_of(at(begin));
            const size_t page = (begin - region.base()) >> G::page_shift;
            const Window* const windows = windows_of(region.directory()[page]);
            do {
                window = window->next;
            } while (is_among(windows, window));
            if (is_empty(windows, size_class)) {
                give_back(region, page);
            }
        }
    }
}

}  // namespace malloom::heaps::pages
