// The common case of a page heap alone, for callers that have to do something afterwards, and would need a
// frame for what is rare: part of page_heap.h, which includes it.
#pragma once

#include "runtime/heaps/pages/page_heap.h"

namespace malloom::heaps::pages {

template <class Search, class G>
inline void* PageHeap<Search, G>::allocate_at_hand(size_t bytes)
    requires(!Search::finds_late)
{
    if (bytes > G::largest) [[unlikely]] {
        return nullptr;
    }
    const uint32_t size_class = G::class_of(bytes);
    Page* const page = with_room_[size_class];
    if (page == nullptr || page->free == 1) [[unlikely]] {
        return nullptr;
    }
    --page->free;
    return page->start + (size_t{Search::take(size_class, page->bits())} << G::shift_of(size_class));
}

template <class Search, class G>
inline bool PageHeap<Search, G>::release_at_hand(Region& region, void* object)
    requires(!Search::finds_late)
{
    const Place place = place_of(region, object);
    if (place.page == nullptr) [[unlikely]] {
        return false;
    }
    Page& page = *place.page;
    // Of a page that has none, it is to enter the list, and the last one leaves it.
    const uint32_t free = page.free;
    if (free - 1 >= chunks_of(page) - 2) [[unlikely]] {
        return false;
    }
    if (!Search::put(page.size_class, page.bits(), place.chunk, false)) [[unlikely]] {
        return false;
    }
    page.free = static_cast<uint16_t>(free + 1);
    return true;
}

}  // namespace malloom::heaps::pages
