// What has to hold of a page heap, whole: part of page_heap.h, which includes it.
#pragma once

#include "runtime/heaps/pages/page_heap.h"

namespace malloom::heaps::pages {

template <class Search, class G>
bool PageHeap<Search, G>::is_valid(const Page& page) noexcept {
    uint32_t free = 0;
    for (uint32_t chunk = 0; chunk < G::chunks_of(page.size_class); ++chunk) {
        const bool is_free = structures::is_free(page.bits(), chunk);
        if (is_free && chunk < page.first) {
            return false;
        }
        free += is_free;
    }
    return free == page.free && free != 0;
}

template <class Search, class G>
bool PageHeap<Search, G>::is_valid() noexcept {
    bool are_valid = true;
    save();
    for (uint32_t size_class = 0; size_class < G::classes; ++size_class) {
        const Page* previous = nullptr;
        for (const Page* page = with_room_[size_class]; page != nullptr; page = page->next) {
            const Region* const region = region_of(page->start);
            are_valid &= page->previous == previous && page->size_class == size_class && region != nullptr &&
                         region->directory()[(reinterpret_cast<uintptr_t>(page->start) - region->base()) >>
                                             G::page_shift] == reinterpret_cast<uintptr_t>(page) &&
                         is_valid(*page);
            previous = page;
        }
    }
    restore();
    return are_valid && runs_.is_valid();
}

}  // namespace malloom::heaps::pages
