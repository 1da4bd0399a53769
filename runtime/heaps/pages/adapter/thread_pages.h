// The page heap as one of many in a process, an instance a thread (runtime/heaps/threads/thread_heaps.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/pages/page_heap.h"
#include "runtime/heaps/threads/thread_heaps.h"
#include "runtime/structures/freestanding/bit_search.h"

namespace malloom::heaps {

/// How bitmaps are searched, by the names that the build option MALLOOM_PAGE_SEARCH has for it
/// (docs/decisions/pages.md).
namespace page_searches {
using linear = structures::LinearSearch<>;
using kamp = structures::KampSearch<>;
using ctz = structures::CountingSearch<structures::BuiltInZeros>;
#if defined(__SSE2__)
using vector = structures::VectorSearch;
#endif
}  // namespace page_searches
#if !defined(MALLOOM_PAGE_SEARCH)
#define MALLOOM_PAGE_SEARCH ctz
#endif
using PageSearch = page_searches::MALLOOM_PAGE_SEARCH;

/// A ThreadHeap.
struct PagesOfThread {
    using Region = pages::Region;
    using Pages = pages::PageHeap<structures::SearchInMemory<PageSearch>>;

    bool open(const ThreadMisuseHook& told) {
        hook = told;
        return true;
    }
    bool add_region(void* start, size_t bytes) { return pages.add_region(start, bytes) != nullptr; }
    void remove_region(Region& region) { pages.remove_region(region); }
    Region* first_region() const { return pages.regions(); }
    static Region* next_region(const Region& region) { return region.next; }
    static size_t room_of(const Region& region) { return size_t{region.pages} * Pages::page_bytes; }
    static bool is_empty(const Region& region) { return region.is_empty(); }

    [[gnu::always_inline]] void* allocate(const Request& request) {
        if (has_deferred()) [[unlikely]] {
            take_deferred();
        }
        return request.alignment > Pages::Geometry::smallest
                   ? pages.allocate_aligned(request.alignment, request.bytes)
                   : pages.allocate(request.bytes,
                                    [this](size_t bytes) { return pages.allocate_slow(bytes); });
    }
    [[gnu::always_inline]] void release(Region& region, void* object) {
        pages.release(region, object,
                      [this](pages::Wrong what, const void* wrong) { tell(what, wrong, false); });
    }
    [[gnu::always_inline]] void* allocate_at_hand(size_t bytes) {
        return has_deferred() ? nullptr : pages.allocate_at_hand(bytes);
    }
    [[gnu::always_inline]] bool release_at_hand(Region& region, void* object) {
        return pages.release_at_hand(region, object);
    }
    bool resize(const Region& region, void* object, size_t bytes) const;
    void judge(const Region& region, const void* object) const;
    void release_later(void* object);
    bool has_deferred() const { return structures::load(deferred) != 0; }
    [[gnu::noinline]] void take_deferred();
    void forget_deferred() { deferred = 0; }
    void settle() { pages.give_back_empty(); }
    static size_t usable_size(const Region& region, const void* object) {
        return Pages::usable_size(region, object);
    }
    static ThreadMisuse looked_into(const Region&, const void*, ThreadMisuse what) { return what; }

    [[gnu::noinline, gnu::cold]] void tell(pages::Wrong what, const void* object, bool was_deferred) const;

    Pages pages;
    uintptr_t deferred;  ///< the last of a list of objects, each of which begins with the one before
    ThreadMisuseHook hook;
};

using OwnedPages = Owned<PagesOfThread>;
using ThreadPages = ThreadHeaps<PagesOfThread>;
extern template class ThreadHeaps<PagesOfThread>;

}  // namespace malloom::heaps
