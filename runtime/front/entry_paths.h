// What the entries of the malloc family and of operator new have in common: how each asks the heap, by its
// fast paths where it has some, and what it does where there is no memory. No lock is taken here.
//
// Included once, by runtime/front/malloc_entries.h.
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/context/caller.h"
#include "runtime/front/new_failure.h"
#include "runtime/front/process_heap.h"
#include "runtime/front/register_entries.h"
#include "runtime/front/release_paths.h"
#include "runtime/platform/memory.h"

namespace malloom::front {

static_assert(ProcessHeap<std::remove_reference_t<decltype(process_heap())>>);

// The standards ask for errno; it is set here, as heaps need not know it unless they say that they do.
[[gnu::always_inline]] inline void* or_out_of_memory(void* object) {
    if constexpr (!heap_sets_errno<std::remove_reference_t<decltype(process_heap())>>) {
        if (object == nullptr) [[unlikely]] {
            errno = ENOMEM;
        }
    }
    return object;
}

inline void* out_of_memory() {
    errno = ENOMEM;
    return nullptr;
}

// memalign accepts any alignment and rounds it up; what no address can satisfy is EINVAL.
inline void* allocate_aligned(size_t alignment, size_t bytes, const context::Caller& caller) {
    if (alignment > SIZE_MAX / 2 + 1) {
        errno = EINVAL;
        return nullptr;
    }
    if (!platform::is_power_of_two(alignment)) {
        alignment = alignment < 2 ? 1 : size_t{1} << (64 - __builtin_clzl(alignment - 1));
    }
    return or_out_of_memory(process_heap().allocate(bytes, alignment, caller));
}

// operator new: never null unless `nothrow`; the new handler may make room or throw.
[[gnu::always_inline]] inline void* create(size_t bytes, size_t alignment, bool nothrow,
                                           const context::Caller& caller) {
    for (;;) {
        if (void* object = process_heap().allocate(bytes, alignment, caller)) [[likely]] {
            return object;
        }
        if (nothrow) {
            return create_without_throwing(bytes, alignment);
        }
        make_room_or_throw();
    }
}

// What the fast paths leave. Each is called in an entry's place, so its caller is the entry's caller.
MALLOOM_CALLER_STATE_ENTRY(allocate_slow, malloom_allocate_for_state)
MALLOOM_CALLER_STATE_ENTRY(allocate_zeroed_slow, malloom_allocate_zeroed_for_state)
MALLOOM_CALLER_STATE_ENTRY(create_slow, malloom_create_for_state)
#if defined(__x86_64__)
MALLOOM_COLOCATION_ENTRY(allocate_colocated_by_register, malloom_allocate_colocated)
MALLOOM_COLOCATION_ENTRY(create_colocated_by_register, malloom_create_colocated)
#endif

// Beside the companion that the entry's caller keeps in a register, or in its frame above `place`, where the
// return address lies.
template <class ColocatedByRegister, class Colocated, class SlowPath>
[[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) inline void*
allocate_colocated_with(size_t bytes, const Colocation& colocation, uintptr_t place,
                        ColocatedByRegister colocated_by_register, Colocated colocated, SlowPath slow_path) {
    const uint32_t kept = colocation.place();
    if (kept < context::CallerState::registers_count) {
        return colocated_by_register(bytes, colocation, 0, kept);
    }
    const uintptr_t word = place + (1 + kept - context::CallerState::registers_count) * sizeof(uintptr_t);
    // Of another page it would have to be asked whether it can be read.
    return context::ReadablePages::page_of(word ^ place) == 0
               ? colocated(bytes, colocation, *reinterpret_cast<const volatile uintptr_t*>(word))
               : slow_path(bytes);
}
[[gnu::noinline]] inline void* allocate_aligned_slow(size_t alignment, size_t bytes) {
    return allocate_aligned(alignment, bytes, context::current_caller());
}
[[gnu::noinline]] inline void* reallocate_slow(void* object, size_t bytes) {
    if (bytes == 0) {
        release(object);
        return nullptr;
    }
    return or_out_of_memory(process_heap().reallocate(object, bytes, context::current_caller()));
}
[[gnu::always_inline]] inline int allocate_into(void** result, size_t alignment, size_t bytes,
                                                const context::Caller& caller) {
    if (!platform::is_power_of_two(alignment) || alignment % sizeof(void*) != 0) {
        return EINVAL;
    }
    const int saved = errno;
    void* object = process_heap().allocate(bytes, alignment, caller);
    errno = saved;
    if (object == nullptr) {
        return ENOMEM;
    }
    *result = object;
    return 0;
}
[[gnu::noinline]] inline int allocate_into(void** result, size_t alignment, size_t bytes) {
    return allocate_into(result, alignment, bytes, context::current_caller());
}
[[gnu::noinline]] inline void* create_aligned_slow(size_t alignment, size_t bytes) {
    return create(bytes, alignment, false, context::current_caller());
}

// What entries of heaps with fast paths jump to. Templates, so that heaps without need not have them.
template <typename Heap = std::remove_reference_t<decltype(process_heap())>>
struct Entries {
    static Heap& heap() { return process_heap(); }
    static uintptr_t site(const void* return_address) { return reinterpret_cast<uintptr_t>(return_address); }

    // Where the return address lies. Unlike the frame's address it needs no frame pointer.
    [[gnu::always_inline]] static uintptr_t place() {
        return reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()) - sizeof(void*);
    }

    [[gnu::always_inline]] static void* allocate_colocated(size_t bytes, const Colocation& colocation) {
#if defined(__x86_64__)
        return allocate_colocated_with(bytes, colocation, place(), allocate_colocated_by_register,
                                       malloom_allocate_colocated, allocate_slow);
#else
        return allocate_slow(bytes);
#endif
    }
    [[gnu::noinline]] static void* allocate_unpooled(size_t bytes) {
        return heap().allocate_fast(bytes, site(__builtin_return_address(0)), place(),
                                    malloom_mimalloc_allocate, allocate_colocated, allocate_slow);
    }
    static void* allocate(size_t bytes) {
        return heap().allocate_soon(bytes, site(__builtin_return_address(0)), malloom_mimalloc_allocate,
                                    allocate_unpooled);
    }
    // Where pools are heaps of mimalloc's.
    static void* allocate_in_mimalloc(size_t bytes) {
        return heap().allocate_soon_in(bytes, site(__builtin_return_address(0)), malloom_mimalloc_allocate,
                                       malloom_mimalloc_allocate_in, allocate_unpooled);
    }
    static void* create_in_mimalloc(size_t bytes) {
        return heap().allocate_soon_in(bytes, site(__builtin_return_address(0)), malloom_mimalloc_create,
                                       malloom_mimalloc_create_in, create_unpooled);
    }
    static void* allocate_by_size(size_t bytes) {
        void* object = Heap::allocate_by_size(bytes);
        if (object == nullptr) [[unlikely]] {
            return allocate_unpooled(bytes);
        }
#if defined(__x86_64__)
        __asm__("" : "+a"(object));  // where results belong, or a compiler copies it there in the end
#endif
        return object;
    }

    [[gnu::noinline]] static void* allocate_zeroed_unpooled(size_t bytes) {
        return heap().allocate_zeroed_fast(bytes, site(__builtin_return_address(0)), place(),
                                           allocate_zeroed_slow);
    }
    [[gnu::always_inline]] static void* allocate_zeroed_from(void* object, size_t bytes) {
        return object != nullptr ? memset(object, 0, bytes) : allocate_zeroed_unpooled(bytes);
    }
    static void* allocate_zeroed(size_t count, size_t size) {
        size_t bytes = 0;
        return !__builtin_mul_overflow(count, size, &bytes)
                   ? allocate_zeroed_from(heap().allocate_pooled(bytes, site(__builtin_return_address(0))),
                                          bytes)
                   : out_of_memory();
    }
    static void* allocate_zeroed_by_size(size_t count, size_t size) {
        size_t bytes = 0;
        return !__builtin_mul_overflow(count, size, &bytes)
                   ? allocate_zeroed_from(Heap::allocate_by_size(bytes), bytes)
                   : out_of_memory();
    }
    // As the two, knowing that there is no way but the slow one.
    static void* allocate_zeroed_elsewhere(size_t count, size_t size) {
        size_t bytes = 0;
        return !__builtin_mul_overflow(count, size, &bytes) ? allocate_zeroed_slow(bytes) : out_of_memory();
    }

    // mimalloc's leaves an object that is not its own to reallocate_slow.
    static void* reallocate(void* object, size_t bytes) {
        return heap().is_fallbacks(site(__builtin_return_address(0)))
                   ? malloom_mimalloc_reallocate(object, bytes)
                   : reallocate_slow(object, bytes);
    }

    static void* allocate_aligned(size_t alignment, size_t bytes) {
        if (platform::is_power_of_two(alignment)) [[likely]] {
            return heap().allocate_aligned_fast(alignment, bytes, site(__builtin_return_address(0)),
                                                malloom_mimalloc_allocate_aligned, allocate_aligned_slow);
        }
        return allocate_aligned_slow(alignment, bytes);
    }

    [[gnu::always_inline]] static void* create_colocated(size_t bytes, const Colocation& colocation) {
#if defined(__x86_64__)
        return allocate_colocated_with(bytes, colocation, place(), create_colocated_by_register,
                                       malloom_create_colocated, create_slow);
#else
        return create_slow(bytes);
#endif
    }
    [[gnu::noinline]] static void* create_unpooled(size_t bytes) {
        return heap().allocate_fast(bytes, site(__builtin_return_address(0)), place(),
                                    malloom_mimalloc_create, create_colocated, create_slow);
    }
    static void* create(size_t bytes) {
        return heap().allocate_soon(bytes, site(__builtin_return_address(0)), malloom_mimalloc_create,
                                    create_unpooled);
    }
    static void* create_by_size(size_t bytes) {
        void* object = Heap::allocate_by_size(bytes);
        return object != nullptr ? object : create_unpooled(bytes);
    }

    static void* create_aligned(size_t bytes, size_t alignment) {
        return heap().allocate_aligned_fast(
            alignment, bytes, site(__builtin_return_address(0)),
            [](size_t aligned, size_t size) { return malloom_mimalloc_create_aligned(size, aligned); },
            create_aligned_slow);
    }
    static void* create_aligned_elsewhere(size_t bytes, size_t alignment) {
        return create_aligned_slow(alignment, bytes);
    }

    static constexpr malloom_entries asked = {allocate,   deallocate,       allocate_zeroed,
                                              reallocate, allocate_aligned, allocate_into,
                                              create,     create_aligned};
    static constexpr malloom_entries by_size = {allocate_by_size, deallocate,       allocate_zeroed_by_size,
                                                reallocate_slow,  allocate_aligned, allocate_into,
                                                create_by_size,   create_aligned};
    static constexpr malloom_entries in_mimalloc = {
        allocate_in_mimalloc, malloom_mimalloc_release, allocate_zeroed, reallocate, allocate_aligned,
        allocate_into,        create_in_mimalloc,       create_aligned};
    /// Where the fallback goes on with what is not its own.
    static constexpr malloom_entries others = {
        allocate_slow, deallocate,  allocate_zeroed_elsewhere, reallocate_slow, allocate_aligned_slow,
        allocate_into, create_slow, create_aligned_elsewhere};
};

// The entries: a jump where the heap says where to, else what the heap can do for any caller.
template <typename Heap = std::remove_reference_t<decltype(process_heap())>>
struct Entry {
    [[gnu::always_inline]] static void* allocate(size_t bytes) {
        if constexpr (has_fast_paths) {
            return Heap::entries().allocate(bytes);
        } else {
            return or_out_of_memory(process_heap().allocate(bytes, 0, context::current_caller()));
        }
    }
    [[gnu::always_inline]] static void release(void* object) { front::release(object); }
    [[gnu::always_inline]] static void* allocate_zeroed(size_t count, size_t size) {
        if constexpr (has_fast_paths) {
            return Heap::entries().allocate_zeroed(count, size);
        } else {
            size_t bytes = 0;
            return !__builtin_mul_overflow(count, size, &bytes)
                       ? or_out_of_memory(process_heap().allocate_zeroed(bytes, context::current_caller()))
                       : out_of_memory();
        }
    }
    [[gnu::always_inline]] static void* reallocate(void* object, size_t bytes) {
        if (object == nullptr) {
            return allocate(bytes);
        }
        if constexpr (has_fast_paths) {
            return Heap::entries().reallocate(object, bytes);
        } else {
            return reallocate_slow(object, bytes);
        }
    }
    [[gnu::always_inline]] static void* allocate_aligned(size_t alignment, size_t bytes) {
        if constexpr (has_fast_paths) {
            return Heap::entries().allocate_aligned(alignment, bytes);
        } else {
            return front::allocate_aligned(alignment, bytes, context::current_caller());
        }
    }
    [[gnu::always_inline]] static int allocate_into(void** result, size_t alignment, size_t bytes) {
        if constexpr (has_fast_paths) {
            return Heap::entries().allocate_into(result, alignment, bytes);
        } else {
            return front::allocate_into(result, alignment, bytes);
        }
    }
    [[gnu::always_inline]] static void* create(size_t bytes) {
        if constexpr (has_fast_paths) {
            return Heap::entries().create(bytes);
        } else {
            return front::create(bytes, 0, false, context::current_caller());
        }
    }
    [[gnu::always_inline]] static void* create_aligned(size_t bytes, size_t alignment) {
        if constexpr (has_fast_paths) {
            return Heap::entries().create_aligned(bytes, alignment);
        } else {
            return front::create(bytes, alignment, false, context::current_caller());
        }
    }
};

// Templates like these: heaps without fast paths need not know so much.
template <typename Heap>
void* allocate_for_state(Heap& heap, size_t bytes, const context::CallerState& caller) {
    if constexpr (has_fast_paths) {
        void* object = heap.allocate_reached(bytes, caller.caller());
        return object != nullptr ? object : heap.allocate_for_state(bytes, caller);
    } else {
        return heap.allocate(bytes, 0, caller.caller());
    }
}
// Beside the companion where no chunk waits; else `slow_path`. Apart: the common case needs few registers.
template <void* (*slow_path)(size_t), typename Heap>
[[gnu::noinline]] void* begin_run(size_t bytes, const Colocation& colocation, uintptr_t companion) {
    void* object = Heap::begin_run(colocation, companion);
    return object != nullptr ? object : slow_path(bytes);
}
template <void* (*slow_path)(size_t), typename Heap = std::remove_reference_t<decltype(process_heap())>>
[[gnu::always_inline]] inline void* colocated(size_t bytes, const Colocation& colocation,
                                              uintptr_t companion) {
    if constexpr (has_fast_paths) {
        void* object = Heap::allocate_waiting(colocation, companion);
        if (object == nullptr) [[unlikely]] {
            return begin_run<slow_path, Heap>(bytes, colocation, companion);
        }
        return object;
    } else {
        return slow_path(bytes);
    }
}
template <typename Heap>
void* allocate_zeroed_for_state(Heap& heap, size_t bytes, const context::CallerState& caller) {
    if constexpr (has_fast_paths) {
        void* object = heap.allocate_reached(bytes, caller.caller());
        return object != nullptr ? memset(object, 0, bytes) : heap.allocate_zeroed_for_state(bytes, caller);
    } else {
        return heap.allocate_zeroed(bytes, caller.caller());
    }
}

}  // namespace malloom::front

extern "C" void* malloom_allocate_for_state(size_t bytes, const malloom::context::CallerState& caller) {
    using namespace malloom::front;
    return or_out_of_memory(allocate_for_state(process_heap(), bytes, caller));
}
#if defined(__x86_64__)
extern "C" void* malloom_allocate_colocated(size_t bytes, const malloom::front::Colocation& colocation,
                                            uintptr_t companion) {
    using namespace malloom::front;
    return colocated<allocate_slow>(bytes, colocation, companion);
}
extern "C" void* malloom_create_colocated(size_t bytes, const malloom::front::Colocation& colocation,
                                          uintptr_t companion) {
    using namespace malloom::front;
    return colocated<create_slow>(bytes, colocation, companion);
}
#endif
extern "C" void* malloom_allocate_zeroed_for_state(size_t bytes,
                                                   const malloom::context::CallerState& caller) {
    using namespace malloom::front;
    return or_out_of_memory(allocate_zeroed_for_state(process_heap(), bytes, caller));
}
extern "C" void* malloom_create_for_state(size_t bytes, const malloom::context::CallerState& caller) {
    void* object = malloom::front::allocate_for_state(malloom::front::process_heap(), bytes, caller);
    return object != nullptr ? object : malloom::front::create(bytes, 0, false, caller.caller());
}
