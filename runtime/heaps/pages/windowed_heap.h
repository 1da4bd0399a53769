// The page heap behind a unit in hardware that has a window of 32 chunks of each class, gives them out and
// takes them back by their addresses (hardware/rtl/window_unit.v). The heap sees a window's chunks as
// objects.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/pages/page_heap.h"

namespace malloom::heaps::pages {

/// What the unit is asked for, and its answers to `give`.
enum class WindowRequest : uint8_t { take, give, swap, begin };
enum class GiveAnswer : uint32_t { given, elsewhere, no_begin, freed_twice };

#if defined(__riscv)
/// The unit behind custom-0 with funct7 2.
struct WindowInstructions {
    template <WindowRequest request>
    [[gnu::always_inline]] static uintptr_t ask(uintptr_t first, uint32_t second) {
        uintptr_t answer = 0;
        __asm__ volatile(".insn r 0x0b, %3, 2, %0, %1, %2"
                         : "=r"(answer)
                         : "r"(first), "r"(second), "i"(static_cast<int>(request)));
        return answer;
    }
};
#endif

/// For one thread at a time, and one heap a unit. Unit::ask answers a request; addresses are as the unit has
/// them. All else is the heap's.
template <class Heap_, class Unit>
class WindowedHeap {
  public:
    using Geometry = typename Heap_::Geometry;
    static constexpr size_t page_bytes = Heap_::page_bytes;

    Region* add_region(void* memory, size_t bytes) { return heap_.add_region(memory, bytes); }
    void on_late_misuse(void (*)()) {}

    /// As PageHeap's.
    template <class OnSlow>
    [[gnu::always_inline]] void* allocate(size_t bytes, OnSlow on_slow) {
        const uintptr_t object = ask<WindowRequest::take>(bytes, 0);
        return object != 0 ? reinterpret_cast<void*>(object) : on_slow(bytes);
    }
    /// Where the window of the class has no free chunk, or the object has pages of its own.
    [[gnu::noinline]] void* allocate_slow(size_t bytes) {
        if (bytes > Geometry::largest) {
            return heap_.allocate_slow(bytes);
        }
        const uint32_t size_class = Geometry::class_of(bytes);
        const typename Heap_::Word word = heap_.take_word(size_class);
        if (word.free == 0) {
            return nullptr;
        }
        // All chunks of the old window are objects of a program, which the heap will have back one by one.
        ask<WindowRequest::swap>(operand(word.start, word.first, size_class), word.free);
        return reinterpret_cast<void*>(ask<WindowRequest::take>(bytes, 0));
    }

    template <class OnWrong>
    [[gnu::always_inline]] void release(Region& region, void* object, OnWrong on_wrong) {
        const auto answer =
            static_cast<GiveAnswer>(ask<WindowRequest::give>(reinterpret_cast<uintptr_t>(object), 0));
        if (answer == GiveAnswer::given) [[likely]] {
            return;
        }
        if (answer == GiveAnswer::elsewhere) {
            heap_.release(region, object, on_wrong);
        } else {
            on_wrong(answer == GiveAnswer::freed_twice ? Wrong::freed_before : Wrong::foreign, object);
        }
    }

    size_t usable_size(const Region& region, const void* object) const {
        return heap_.usable_size(region, object);
    }

    /// The windows' free chunks go back to the heap; the unit has none any more.
    void save() {
        for (uint32_t size_class = 0; size_class < Geometry::classes; ++size_class) {
            const uintptr_t begin = ask<WindowRequest::begin>(size_class, 0);
            const auto free = static_cast<uint32_t>(ask<WindowRequest::swap>(size_class, 0));
            for (uint32_t chunk = 0; chunk < structures::bits_of_word; ++chunk) {
                if ((free >> chunk & 1) != 0) {
                    give_back(begin + (uintptr_t{chunk} << Geometry::shift_of(size_class)));
                }
            }
        }
    }
    /// Windows come again when they are asked for.
    static void restore() {}

    bool is_valid() noexcept {
        save();
        return heap_.is_valid();
    }

  private:
    template <WindowRequest request>
    [[gnu::always_inline]] static uintptr_t ask(uintptr_t first, uint32_t second) {
        return Unit::template ask<request>(first, second);
    }
    static uintptr_t operand(const char* start, uint32_t first, uint32_t size_class) {
        return reinterpret_cast<uintptr_t>(start) | first << 4 | size_class;
    }
    void give_back(uintptr_t address) {
        void* const object = reinterpret_cast<void*>(address);
        Region* const region = heap_.region_of(object);
        MALLOOM_CHECK(region != nullptr);
        heap_.release(*region, object,
                      [](Wrong, const void*) { MALLOOM_CHECK(!"a window's chunk is no object"); });
    }

    Heap_ heap_;
};

}  // namespace malloom::heaps::pages
