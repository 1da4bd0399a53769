// Kamp's scheme (malloc(3) revisited, 1998), with the search of Li, Mohanty and Kavi's paper as a policy: a
// page has objects of one size, a power of two, and a bitmap says which of its chunks are free. What is
// larger than half a page has pages of its own. A directory finds an object's page by its address.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "checks/check.h"
#include "runtime/heaps/pages/page.h"
#include "runtime/heaps/pages/page_runs.h"

namespace malloom::heaps::pages {

/// An instance, over memories that its owner gives it. All zero it has none. For one thread at a time;
/// nothing here allocates or needs a C library. Search is as SearchInMemory, of
/// runtime/structures/freestanding.
///
/// Each class has a list of pages that have room. The first one serves until it is full. A page that gets
/// room again comes behind the first, so that a unit in hardware keeps the first one's bitmap; Kamp has them
/// in the order of addresses. An empty page goes back, unless it is the only one of its class with room.
template <class Search, class Geometry_ = Geometry<4096, 16>>
class PageHeap {
  public:
    using Geometry = Geometry_;
    static constexpr size_t page_bytes = Geometry::page_bytes;
    /// Of a unit in hardware: saved before another heap uses it, restored afterwards.
    using UnitState = typename Search::template State<Geometry>;

    /// Begins at a page, and outlives this; nobody else uses it. Null where it is too short.
    Region* add_region(void* memory, size_t bytes) {
        return runs_.add(memory, bytes, Geometry::longest_apart());
    }
    /// Of one that is empty: nothing of it is used again.
    void remove_region(Region& region) { runs_.remove(region); }
    /// Called when a unit in hardware tells of a chunk that was freed while it was free, some calls late.
    void on_late_misuse(void (*told)()) { on_late_misuse_ = told; }

    /// Null where there is no memory. Of no bytes it is an object too.
    void* allocate(size_t bytes) {
        return allocate(bytes, [this](size_t wanted) { return allocate_slow(wanted); });
    }
    /// The same, and on_slow(bytes) has what is rare, by a tail call: so whoever calls this needs no frame.
    /// It ends in allocate_slow.
    template <class OnSlow>
    [[gnu::always_inline]] void* allocate(size_t bytes, OnSlow on_slow) {
        if (bytes > Geometry::largest) [[unlikely]] {
            return on_slow(bytes);
        }
        const uint32_t size_class = Geometry::class_of(bytes);
        Page* const page = with_room_[size_class];
        if (page == nullptr) [[unlikely]] {
            return on_slow(bytes);
        }
        const uint32_t chunk = Search::take(size_class, page->bits());
        if (Search::finds_late && static_cast<int32_t>(chunk) < 0) [[unlikely]] {
            return allocate_late(bytes, on_slow);
        }
        void* const object = page->start + (size_t{chunk} << Geometry::shift_of(size_class));
        const uint32_t free = page->free - 1U;
        page->free = static_cast<uint16_t>(free);
        return free == 0 ? leave_list_for(*page, object) : object;
    }
    [[gnu::noinline]] void* allocate_slow(size_t bytes);
    /// The same where that is all there is to do: no page leaves or enters a list. Else null, and nothing
    /// changes. It calls nothing.
    [[gnu::always_inline]] void* allocate_at_hand(size_t bytes)
        requires(!Search::finds_late);
    /// `alignment` is a power of two.
    void* allocate_aligned(size_t alignment, size_t bytes) {
        const size_t room = alignment > bytes ? alignment : bytes;
        return room <= Geometry::largest ? allocate(room) : runs_.allocate(bytes, alignment);
    }

    /// The object lies in the region. Where it is none, nothing changes, and on_wrong(Wrong, object) is told.
    template <class OnWrong>
    [[gnu::always_inline]] void release(Region& region, void* object, OnWrong on_wrong) {
        const Place place = place_of(region, object);
        if (place.page == nullptr) [[unlikely]] {
            runs_.release(region, object, on_wrong);
            return;
        }
        Page& page = *place.page;
        if (!Search::put(page.size_class, page.bits(), place.chunk, is_first(page))) [[unlikely]] {
            on_wrong(Wrong::freed_before, object);
            return;
        }
        const uint32_t free = page.free + 1U;
        page.free = static_cast<uint16_t>(free);
        if (free == 1) [[unlikely]] {
            enter_list(page);
        } else if (free == chunks_of(page)) [[unlikely]] {
            look_after_empty(region, page);
        }
    }

    /// The same of an object, where that is all there is to do. Else false, and nothing changes.
    [[gnu::always_inline]] bool release_at_hand(Region& region, void* object)
        requires(!Search::finds_late);

    /// Of a living object: the bytes that it may use. 0 where no object may be.
    static size_t usable_size(const Region& region, const void* object) {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - region.base();
        const uintptr_t entry = region.directory()[offset >> Geometry::page_shift];
        if (entry != 0 && (entry & kind_of_entry) == 0) [[likely]] {
            return size_t{1} << Geometry::shift_of(reinterpret_cast<const Page*>(entry)->size_class);
        }
        return Runs::usable_size(entry);
    }
    /// Whether an object begins there. Where none does, on_wrong is told as of its release.
    template <class OnWrong>
    [[gnu::always_inline]] bool is_living(const Region& region, const void* object, OnWrong on_wrong) const {
        const Place place = place_of(region, object);
        if (place.page == nullptr) {
            return Runs::is_living(region, object, on_wrong);
        }
        Page& page = *place.page;
        // The heap's own thread may just be changing what is first.
        const bool is_first_of_unit = Search::finds_late && is_first(page);
        const bool is_free = Search::has_free(page.size_class, page.bits(), place.chunk, is_first_of_unit);
        if (is_free) {
            on_wrong(Wrong::freed_before, object);
        }
        return !is_free;
    }

    /// The region of any address; null where it lies in none. It goes through all regions.
    Region* region_of(const void* address) const { return runs_.region_of(address); }
    Region* regions() const { return runs_.regions(); }

    /// Empty pages that were kept go back.
    void give_back_empty();

    /// Lists, bitmaps, counts and directories agree. It goes through all pages that have room.
    bool is_valid() noexcept;

  private:
    using Runs = PageRuns<Geometry::page_shift>;

    /// Where a chunk begins. The page is null where none does.
    struct Place {
        Page* page;
        uint32_t chunk;
    };
    [[gnu::always_inline]] static Place place_of(const Region& region, const void* object) {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - region.base();
        const uintptr_t entry = region.directory()[offset >> Geometry::page_shift];
        if (entry == 0 || (entry & kind_of_entry) != 0) [[unlikely]] {
            return {nullptr, 0};
        }
        auto* const page = reinterpret_cast<Page*>(entry);
        const uint32_t shift = Geometry::shift_of(page->size_class);
        const auto within = static_cast<uint32_t>(offset & (page_bytes - 1));
        const uint32_t chunk = within >> shift;
        if (chunk << shift != within || chunk < page->first) [[unlikely]] {
            return {nullptr, 0};
        }
        return {page, chunk};
    }
    static uint32_t chunks_of(const Page& page) { return Geometry::chunks_of(page.size_class) - page.first; }
    bool is_first(const Page& page) const { return &page == with_room_[page.size_class]; }
    [[gnu::noinline]] Page* add_page(uint32_t size_class);
    static void set_up(Page& page, uint32_t size_class, char* start);
    [[gnu::noinline]] void enter_list(Page& page);
    [[gnu::noinline]] void leave_list(Page& page);
    template <class OnSlow>
    [[gnu::noinline, gnu::cold]] void* allocate_late(size_t bytes, OnSlow on_slow) {
        tell_late();
        return on_slow(bytes);
    }
    [[gnu::noinline]] void* leave_list_for(Page& page, void* object) {
        leave_list(page);
        return object;
    }
    [[gnu::noinline]] void look_after_empty(Region& region, Page& page);
    void give_back(Region& region, const Page& page);
    [[gnu::noinline, gnu::cold]] void tell_late();
    /// The counts of free chunks are right afterwards.
    [[gnu::always_inline]] void take_late_misuse() {
        if constexpr (Search::finds_late) {
            if (Search::was_wrong()) {
                tell_late();
            }
        }
    }
    /// Around what is done with all bitmaps in memory.
    void save();
    void restore();
    static bool is_valid(const Page& page) noexcept;

    /// The unit has the first page's bitmap from now on; where there is none this is nothing.
    [[gnu::noinline]] static void become_first(Page& page) {
        if constexpr (Search::finds_late) {
            Search::load(page.size_class, page.bits(), Geometry::words_of(page.size_class));
        }
    }

    Page* with_room_[Geometry::classes] = {};
    Runs runs_;
    void (*on_late_misuse_)() = nullptr;
};

template <class Search, class G>
void* PageHeap<Search, G>::allocate_slow(size_t bytes) {
    if (bytes > G::largest) {
        return runs_.allocate(bytes, 0);
    }
    const uint32_t size_class = G::class_of(bytes);
    return with_room_[size_class] != nullptr || add_page(size_class) != nullptr ? allocate(bytes) : nullptr;
}

template <class Search, class G>
Page* PageHeap<Search, G>::add_page(uint32_t size_class) {
    const auto taken = runs_.take(1, 1);
    if (taken.region == nullptr) {
        return nullptr;
    }
    char* const start = reinterpret_cast<char*>(taken.region->base() + (taken.page << G::page_shift));
    void* const head = G::has_head(size_class) ? start : taken.region->beside(taken.page, G::longest_apart());
    Page& page = *static_cast<Page*>(head);
    taken.region->directory()[taken.page] = reinterpret_cast<uintptr_t>(&page);
    set_up(page, size_class, start);
    enter_list(page);
    return &page;
}

template <class Search, class G>
void PageHeap<Search, G>::set_up(Page& page, uint32_t size_class, char* start) {
    const uint32_t chunks = G::chunks_of(size_class);
    const uint32_t first = G::first_of(size_class);
    page.start = start;
    page.size_class = static_cast<uint8_t>(size_class);
    page.first = static_cast<uint8_t>(first);
    page.free = static_cast<uint16_t>(chunks - first);
    constexpr uint32_t bits = structures::bits_of_word;
    const auto blocks = (G::head_bytes(size_class) - sizeof(Page)) / sizeof(uint32_t);
    for (uint32_t word = 0; word < blocks; ++word) {
        const uint32_t end = chunks > word * bits ? chunks - word * bits : 0;
        const uint32_t free_below_end = end >= bits ? UINT32_MAX : (uint32_t{1} << end) - 1;
        page.bits()[word] = free_below_end;
    }
    for (uint32_t chunk = 0; chunk < first; ++chunk) {
        structures::flip(page.bits(), chunk);
    }
}

template <class Search, class G>
void PageHeap<Search, G>::enter_list(Page& page) {
    Page*& first = with_room_[page.size_class];
    if (first == nullptr) {
        page.next = nullptr;
        page.previous = nullptr;
        first = &page;
        become_first(page);
        return;
    }
    page.next = first->next;
    page.previous = first;
    if (page.next != nullptr) {
        page.next->previous = &page;
    }
    first->next = &page;
}

template <class Search, class G>
void PageHeap<Search, G>::leave_list(Page& page) {
    Page* const next = page.next;
    MALLOOM_CHECK((page.previous != nullptr ? page.previous->next : with_room_[page.size_class]) == &page);
    if (next != nullptr) {
        next->previous = page.previous;
    }
    if (page.previous != nullptr) {
        page.previous->next = next;
        return;
    }
    with_room_[page.size_class] = next;
    if (next != nullptr) {
        become_first(*next);
    }
}

template <class Search, class G>
void PageHeap<Search, G>::look_after_empty(Region& region, Page& page) {
    take_late_misuse();
    MALLOOM_CHECK_FULL(Search::finds_late || is_valid(page));
    if (page.free == chunks_of(page) && with_room_[page.size_class]->next != nullptr) {
        leave_list(page);
        give_back(region, page);
    }
}

template <class Search, class G>
void PageHeap<Search, G>::give_back(Region& region, const Page& page) {
    runs_.give_back(region, (reinterpret_cast<uintptr_t>(page.start) - region.base()) >> G::page_shift, 1);
}

// An empty page that was kept is the first of its class.
template <class Search, class G>
void PageHeap<Search, G>::give_back_empty() {
    take_late_misuse();
    for (Page* const page : with_room_) {
        if (page != nullptr && page->free == chunks_of(*page)) {
            leave_list(*page);
            give_back(*region_of(page->start), *page);
        }
    }
}

}  // namespace malloom::heaps::pages

#include "runtime/heaps/pages/page_heap_at_hand.h"
#include "runtime/heaps/pages/page_heap_unit.h"
#include "runtime/heaps/pages/page_heap_validity.h"
