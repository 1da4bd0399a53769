// What of a page heap is for a unit in hardware: part of page_heap.h, which includes it.
#pragma once

#include "runtime/heaps/pages/page_heap.h"

namespace malloom::heaps::pages {

// The unit has changed no bit where it refused one, so the bitmaps say how many are free.
template <class Search, class G>
void PageHeap<Search, G>::tell_late() {
    save();
    for (Page* page : with_room_) {
        if (page != nullptr) {
            uint32_t free = 0;
            for (uint32_t chunk = 0; chunk < G::chunks_of(page->size_class); ++chunk) {
                free += structures::is_free(page->bits(), chunk);
            }
            page->free = static_cast<uint16_t>(free);
        }
    }
    restore();
    if (on_late_misuse_ != nullptr) {
        on_late_misuse_();
    }
}

template <class Search, class G>
void PageHeap<Search, G>::save() {
    if constexpr (Search::finds_late) {
        for (Page* page : with_room_) {
            if (page != nullptr) {
                Search::store(page->size_class, page->bits(), G::words_of(page->size_class));
            }
        }
    }
}

template <class Search, class G>
void PageHeap<Search, G>::restore() {
    for (Page* page : with_room_) {
        if (page != nullptr) {
            become_first(*page);
        }
    }
}

}  // namespace malloom::heaps::pages
