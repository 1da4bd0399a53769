// The allocator that the program would have without us (platform/real_allocator.h): another general one that
// somebody has preloaded, or the C library's. What speaks for another one was measured on heaps of some size;
// it may be trusted up to so much memory, and what is asked for beyond that is the C library's.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/fallback/mimalloc_port.h"

namespace malloom::heaps {

/// One static object, `next_allocator`; until trust_up_to all is the next allocator's. Thread-safe, and for
/// signal handlers as far as those allocators are. errno is what they leave.
///
/// What is the C library's lies in its first arena, which grows by the program's break, so that whose an
/// object is shows by its address: larger objects and those of programs with several threads stay the next
/// allocator's, and all do where that one, or the program, moves the break itself, or the program calls that
/// one's own functions. How much memory the
/// process has is looked at whenever a thread has asked for as many bytes as were missing.
class NextAllocator {
  public:
    /// Before the first request, once. `most_resident` in bytes, as the kernel counts what a process has
    /// resident; `huge_pages` are for what is the C library's. Nothing changes where the next allocator is
    /// the C library's, or that one's functions are not found.
    void trust_up_to(size_t most_resident, bool huge_pages);
    bool is_watched() const { return most_resident_ != 0; }

    void* allocate(size_t bytes);
    void* allocate_zeroed(size_t bytes);
    /// `alignment` is a power of two.
    void* allocate_aligned(size_t alignment, size_t bytes);
    /// `bytes` is not 0.
    void* reallocate(void* object, size_t bytes);
    /// Of what may be nobody's object.
    void deallocate(void* object);
    size_t usable_size(void* object) const;

    /// How much memory the process had when requests went to the C library; 0: they have not.
    size_t left_at() const { return __atomic_load_n(&left_at_, __ATOMIC_RELAXED); }

    /// While is_watched() and where all objects are the next allocator's or the C library's: all that an
    /// entry of the malloc family has to do, and `others` for what is rare. They are others once the C
    /// library is asked: who has copied them is told, by the thread that asks, and while there is no other.
    using OnLeft = void (*)(void* argument);
    const malloom_entries& entries(const malloom_entries& others, OnLeft told, void* argument);

  private:
    friend struct WatchedEntries;

    [[gnu::noinline, gnu::cold]] void look();
    void leave(size_t resident);
    bool is_for_c_library(size_t bytes);
    template <class Ask>
    void* from_c_library(size_t bytes, Ask ask);
    void* reallocate_of_c_library(void* object, size_t bytes);
    [[gnu::always_inline]] bool is_of_c_library(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - lowest_ < __atomic_load_n(&span_, __ATOMIC_RELAXED);
    }
    void reach(uintptr_t end);
    bool owns_break();

    OnLeft on_left_ = nullptr;
    void* argument_ = nullptr;
    size_t most_resident_ = 0;
    size_t left_at_ = 0;
    uintptr_t lowest_ = 0;  ///< of the program's break
    size_t span_ = 0;       ///< how far the break has been seen to reach beyond it
    bool is_huge_ = false;
    size_t most_bytes_ = 0;  ///< requests of so many and more are not for the C library
};

extern NextAllocator next_allocator;

}  // namespace malloom::heaps
