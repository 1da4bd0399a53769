// Pages behind a unit in hardware that has windows of 32 chunks of each class, gives them out and takes them
// back by their addresses (hardware/rtl/window_unit.v). Sizes, pages, bitmaps and runs are Kamp's, as the
// page heap has them (page_heap.h). What of a bitmap becomes a window stands together here, and what has room
// is a list of these.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/pages/page.h"
#include "runtime/heaps/pages/page_runs.h"
#include "runtime/heaps/pages/window_unit.h"

namespace malloom::heaps::pages {

/// For one thread at a time, and one heap a unit. Unit::ask answers a request. All memories lie below 2^31,
/// and not at 0.
///
/// A chunk of a window is no free one to the heap: nothing is written back when a window's last chunk is
/// taken and another window replaces it. Of each class there is a list of windows that have free chunks and
/// are not in the unit. What comes back enters at its end, so that more of it comes back until its turn. An
/// empty page goes back unless nothing else of its class has room, and never while the unit has some of it.
template <class Unit, class Geometry_ = Geometry<4096, 16>>
class WindowedHeap {
  public:
    using Geometry = Geometry_;
    using Answer = GiveAnswer;
    using UnitState = WindowsState<Unit, Geometry>;
    static constexpr size_t page_bytes = Geometry::page_bytes;

    constexpr WindowedHeap() {
        for (Window& first : with_room_) {
            first.next = &first;
            first.previous = &first;
        }
    }
    WindowedHeap(const WindowedHeap&) = delete;
    WindowedHeap& operator=(const WindowedHeap&) = delete;

    /// Begins at a page, and outlives this; nobody else uses it. Null where it is too short or lies too high.
    Region* add_region(void* memory, size_t bytes);
    /// As PageHeap's; nothing is told late here.
    void on_late_misuse(void (*)()) {}

    /// Null where there is no memory. Of no bytes it is an object too.
    void* allocate(size_t bytes) {
        return allocate(bytes, [this](size_t answer) { return allocate_slow(answer); });
    }
    /// The same, and on_slow(answer) has what is rare, by a
    /// tail call: so whoever calls this needs no frame. It ends in allocate_slow.
    template <class OnSlow>
    [[gnu::always_inline]] void* allocate(size_t bytes, OnSlow on_slow) {
        const uint32_t answer = ask<WindowRequest::take>(bytes);
        return (answer & refused) == 0 ? at(answer) : allocate_from_list(answer, on_slow);
    }
    /// Where no window of the class has room, or the object has pages of its own: what the unit answered.
    [[gnu::noinline]] void* allocate_slow(size_t answer) {
        const size_t size_class = answer ^ refused;
        if (size_class >= Geometry::classes) {
            return runs_.allocate(size_class, 0);
        }
        if (!add_page(static_cast<uint32_t>(size_class))) {
            return nullptr;
        }
        return allocate_from_list(static_cast<uint32_t>(answer), [](size_t) -> void* { return nullptr; });
    }

    /// `alignment` is a power of two.
    void* allocate_aligned(size_t alignment, size_t bytes) {
        const size_t room = alignment > bytes ? alignment : bytes;
        return room <= Geometry::largest ? allocate(room) : runs_.allocate(bytes, alignment);
    }

    /// The object lies in the region. Where it is none, nothing changes, and on_wrong(Wrong, object) is told.
    template <class OnWrong>
    void release(Region& region, void* object, OnWrong on_wrong) {
        const GiveAnswer answer = give(object);
        if (answer != GiveAnswer::given) {
            release(region, object, answer, on_wrong);
        }
    }
    /// The same in two steps: what the unit says of it, which needs no region.
    [[gnu::always_inline]] static GiveAnswer give(const void* object) {
        return static_cast<GiveAnswer>(ask<WindowRequest::give>(reinterpret_cast<uintptr_t>(object)));
    }
    /// And where it did not take it.
    template <class OnWrong>
    [[gnu::always_inline]] void release(Region& region, void* object, GiveAnswer answer, OnWrong on_wrong) {
        if (answer != GiveAnswer::elsewhere) [[unlikely]] {
            on_wrong(answer == GiveAnswer::freed_twice ? Wrong::freed_before : Wrong::foreign, object);
            return;
        }
        const Place place = place_of(region, object);
        if (!place.is_chunk) [[unlikely]] {
            runs_.release(region, object, on_wrong);
            return;
        }
        Window& window = *place.window;
        const uint32_t before = window.free;
        if ((before & place.bit) != 0) [[unlikely]] {
            on_wrong(Wrong::freed_before, object);
            return;
        }
        const uint32_t free = before | place.bit;
        window.free = free;
        if (before == 0) {
            enter_list(window, place.size_class);
        }
        // All bits of a full window stand together from the lowest one on.
        if ((free & (free + 1)) == 0) [[unlikely]] {
            look_after_empty(region, place.page);
        }
    }

    /// Of a living object: the bytes that it may use. 0 where no object may be.
    static size_t usable_size(const Region& region, const void* object) {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - region.base();
        const uintptr_t entry = region.directory()[offset >> Geometry::page_shift];
        if ((entry & kind_of_entry) == of_windows) [[likely]] {
            return size_t{1} << Geometry::shift_of(class_of_entry(entry));
        }
        return Runs::usable_size(entry);
    }
    /// Whether an object begins there. Where none does, on_wrong is told as of its release.
    template <class OnWrong>
    bool is_living(const Region& region, const void* object, OnWrong on_wrong) {
        const Place place = place_of(region, object);
        if (!place.is_chunk) {
            return Runs::is_living(region, object, on_wrong);
        }
        const bool is_free = (place.window->free & place.bit) != 0 || is_free_in_unit(place);
        if (is_free) {
            on_wrong(Wrong::freed_before, object);
        }
        return !is_free;
    }

    /// The unit has no window any more; what was free in its windows is the heap's. Windows come again when
    /// they are asked for.
    void take_windows_back();

    /// Empty pages that were kept go back. The unit has no window afterwards.
    void give_back_empty();

    /// Lists, bitmaps and directories agree. The unit has no window afterwards.
    bool is_valid() noexcept;

  private:
    using Runs = PageRuns<Geometry::page_shift>;
    static constexpr uint32_t chunks_of_window = structures::bits_of_word;

    /// The unit has no chunk of the class; it gets another window.
    template <class OnSlow>
    [[gnu::always_inline]] void* allocate_from_list(uint32_t answer, OnSlow on_slow) {
        const uint32_t size_class = answer ^ refused;
        if (size_class >= Geometry::classes) [[unlikely]] {
            return on_slow(answer);
        }
        Window& first = with_room_[size_class];
        Window& window = *first.next;
        if (&window == &first) [[unlikely]] {
            return on_slow(answer);
        }
        const uint32_t free = window.free;
        window.free = 0;
        leave_list(window);
        return at(ask<WindowRequest::fill>(window.operand, free));
    }

    /// A word of a page's bitmap. Of a full page it stands in no list.
    struct Window {
        Window* next;
        Window* previous;
        uint32_t free;     ///< a bit a chunk, 1 where it is free and the unit does not have it
        uint32_t operand;  ///< of a fill: its begin and class
    };
    static constexpr size_t windows_of_page = Geometry::words_of(0);
    /// A kind of entry of the directory, beside those of page.h: a page of chunks, with the address of its
    /// windows and its class.
    static constexpr uintptr_t of_windows = 3;
    static constexpr uintptr_t class_shift = 2;
    static constexpr uintptr_t entry_alignment = 32;
    static_assert(Geometry::classes <= entry_alignment >> class_shift, "a class has three bits of an entry");

    static void* at(uint32_t answer) { return reinterpret_cast<void*>(uintptr_t{answer & ~refused}); }
    template <WindowRequest request>
    [[gnu::always_inline]] static uint32_t ask(uintptr_t first, uint32_t second = 0) {
        return Unit::template ask<request>(first, second);
    }

    /// Whether it is one of a page's.
    static bool is_among(const Window* windows, const Window* window) {
        const uintptr_t distance = reinterpret_cast<uintptr_t>(window) - reinterpret_cast<uintptr_t>(windows);
        return distance < windows_of_page * sizeof(Window);
    }
    static uintptr_t entry_of(const Window* windows, uint32_t size_class) {
        return reinterpret_cast<uintptr_t>(windows) | size_class << class_shift | of_windows;
    }
    static uint32_t class_of_entry(uintptr_t entry) {
        return static_cast<uint32_t>(entry % entry_alignment >> class_shift);
    }
    static Window* windows_of(uintptr_t entry) {
        return reinterpret_cast<Window*>(entry & ~(entry_alignment - 1));
    }
    /// Free chunks of a window of an empty page.
    static uint32_t all_of(uint32_t size_class) {
        const uint32_t chunks = Geometry::chunks_of(size_class);
        return chunks < chunks_of_window ? (uint32_t{1} << chunks) - 1 : UINT32_MAX;
    }

    /// Where a chunk begins. The rest says nothing where none does.
    struct Place {
        bool is_chunk;
        Window* window;
        uint32_t bit;
        uint32_t size_class;
        size_t page;
    };
    [[gnu::always_inline]] static Place place_of(const Region& region, const void* object) {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - region.base();
        const size_t page = offset >> Geometry::page_shift;
        const uintptr_t entry = region.directory()[page];
        if ((entry & kind_of_entry) != of_windows) [[unlikely]] {
            return {};
        }
        const uint32_t size_class = class_of_entry(entry);
        const uint32_t shift = Geometry::shift_of(size_class);
        const auto within = static_cast<uint32_t>(offset & (page_bytes - 1));
        const uint32_t chunk = within >> shift;
        if (chunk << shift != within) [[unlikely]] {
            return {};
        }
        Window& window = windows_of(entry)[chunk / chunks_of_window];
        return {true, &window, uint32_t{1} << (chunk % chunks_of_window), size_class, page};
    }
    [[gnu::noinline]] bool is_free_in_unit(const Place& place);
    [[gnu::noinline]] bool add_page(uint32_t size_class);
    [[gnu::noinline]] void look_after_empty(Region& region, size_t page);
    static bool is_empty(const Window* windows, uint32_t size_class);
    bool is_only_with_room(const Window* windows, uint32_t size_class) const;
    void give_back(Region& region, size_t page);
    bool is_valid_list(uint32_t size_class) const noexcept;

    void enter_list(Window& window, uint32_t size_class) {
        Window& first = with_room_[size_class];
        Window* const last = first.previous;
        window.next = &first;
        window.previous = last;
        last->next = &window;
        first.previous = &window;
    }
    static void leave_list(Window& window) {
        window.previous->next = window.next;
        window.next->previous = window.previous;
    }

    Window with_room_[Geometry::classes] = {};  ///< of each ring what is no window
    Runs runs_;
};

// The windows of all pages lie beside the directory, so that pages have no heads: one that came back at an
// address within a head would have to be told apart, and heads would share few lines of a cache.
template <class Unit, class G>
Region* WindowedHeap<Unit, G>::add_region(void* memory, size_t bytes) {
    static_assert(windows_of_page * sizeof(Window) % entry_alignment == 0);
    static_assert(Region::alignment_beside % entry_alignment == 0);
    const auto begin = reinterpret_cast<uintptr_t>(memory);
    if (begin > refused || bytes > refused - begin) {
        return nullptr;
    }
    return runs_.add(memory, bytes, windows_of_page * sizeof(Window));
}

template <class Unit, class G>
bool WindowedHeap<Unit, G>::add_page(uint32_t size_class) {
    const auto taken = runs_.take(1, 1);
    if (taken.region == nullptr) {
        return false;
    }
    auto* const windows =
        static_cast<Window*>(taken.region->beside(taken.page, windows_of_page * sizeof(Window)));
    const uint32_t all = all_of(size_class);
    auto begin = static_cast<uint32_t>(taken.region->base() + (taken.page << G::page_shift));
    for (uint32_t number = 0; number < G::words_of(size_class); ++number) {
        windows[number].free = all;
        windows[number].operand = begin | size_class;
        enter_list(windows[number], size_class);
        begin += chunks_of_window << G::shift_of(size_class);
    }
    taken.region->directory()[taken.page] = entry_of(windows, size_class);
    return true;
}

template <class Unit, class G>
void WindowedHeap<Unit, G>::look_after_empty(Region& region, size_t page) {
    const uintptr_t entry = region.directory()[page];
    const uint32_t size_class = class_of_entry(entry);
    const Window* const windows = windows_of(entry);
    if (is_empty(windows, size_class) && !is_only_with_room(windows, size_class)) {
        give_back(region, page);
    }
}

template <class Unit, class G>
bool WindowedHeap<Unit, G>::is_empty(const Window* windows, uint32_t size_class) {
    for (uint32_t number = 0; number < G::words_of(size_class); ++number) {
        if (windows[number].free != all_of(size_class)) {
            return false;
        }
    }
    return true;
}

// All its windows are in the list.
template <class Unit, class G>
void WindowedHeap<Unit, G>::give_back(Region& region, size_t page) {
    const uintptr_t entry = region.directory()[page];
    for (uint32_t number = 0; number < G::words_of(class_of_entry(entry)); ++number) {
        leave_list(windows_of(entry)[number]);
    }
    runs_.give_back(region, page, 1);
}

// All windows of the page are in the list.
template <class Unit, class G>
bool WindowedHeap<Unit, G>::is_only_with_room(const Window* windows, uint32_t size_class) const {
    const Window* window = with_room_[size_class].next;
    for (uint32_t number = 0; number < G::words_of(size_class); ++number) {
        if (!is_among(windows, window)) {
            return false;
        }
        window = window->next;
    }
    return window == &with_room_[size_class];
}

}  // namespace malloom::heaps::pages

#include "runtime/heaps/pages/windowed_heap_unit.h"
#include "runtime/heaps/pages/windowed_heap_validity.h"
