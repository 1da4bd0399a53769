// The functions of token_entries.def and token_operators.def over the heap of the process: compilers' tokens
// say who asks, so that nothing is asked of the stack. Where the heap takes no tokens, and of token 0, they
// are the entries of the malloc family, and jump to them: their caller is then who asks.
//
// Included once, behind runtime/front/malloc_entries.h.
#pragma once

#include <new>

#include "runtime/context/token.h"
#include "runtime/front/entry_paths.h"

// What serves requests of the context `key`, as context::token_key makes it. As the entries of the malloc
// family, with what they say of errno and of new handlers.
namespace malloom::front::tokens {

inline context::Caller caller_of(uintptr_t key) {
    return {key, 0, 0};
}

/// A hint makes another context of a token: what is cold is to lie apart from what is hot.
constexpr uintptr_t hinted(uintptr_t key, unsigned char hint) {
    // An odd number, so that hints differ in the low bits, by which contexts are found, and in the others.
    return context::token_key(key ^ ((uintptr_t{hint} + 1) * 0x9e3779b97f4a7c15));
}

template <typename Heap = std::remove_reference_t<decltype(process_heap())>>
[[gnu::always_inline]] inline bool are_taken() {
    return Heap::takes_tokens();
}

template <class FromFallback, class FromHeap, class Slow,
          typename Heap = std::remove_reference_t<decltype(process_heap())>>
[[gnu::always_inline]] inline void* allocate_with(size_t bytes, uintptr_t key, FromFallback from_fallback,
                                                  FromHeap from_heap, Slow slow) {
    if constexpr (has_fast_paths) {
        Heap& heap = process_heap();
        return heap.pools_are_in_mimalloc()
                   ? heap.allocate_soon_in(bytes, key, from_fallback, from_heap, slow)
                   : heap.allocate_soon(bytes, key, from_fallback, slow);
    } else {
        return slow(bytes);
    }
}

[[gnu::noinline]] inline void* allocate_slow(size_t bytes, uintptr_t key) {
    return or_out_of_memory(process_heap().allocate(bytes, 0, caller_of(key)));
}
[[gnu::noinline]] inline void* create_slow(size_t bytes, uintptr_t key) {
    return front::create(bytes, 0, false, caller_of(key));
}

[[gnu::always_inline]] inline void* allocate(size_t bytes, uintptr_t key) {
    return allocate_with(bytes, key, malloom_mimalloc_allocate, malloom_mimalloc_allocate_in,
                         [key](size_t wanted) { return allocate_slow(wanted, key); });
}
[[gnu::always_inline]] inline void* create(size_t bytes, uintptr_t key) {
    return allocate_with(bytes, key, malloom_mimalloc_create, malloom_mimalloc_create_in,
                         [key](size_t wanted) { return create_slow(wanted, key); });
}

template <typename Heap = std::remove_reference_t<decltype(process_heap())>>
void* allocate_zeroed(size_t count, size_t size, uintptr_t key) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return out_of_memory();
    }
    Heap& heap = process_heap();
    if constexpr (has_fast_paths) {
        if (void* object = heap.allocate_pooled(bytes, key)) {
            return memset(object, 0, bytes);
        }
        if (heap.is_fallbacks(key)) {
            return malloom_mimalloc_allocate_zeroed(1, bytes);
        }
    }
    return or_out_of_memory(heap.allocate_zeroed(bytes, caller_of(key)));
}
inline void* reallocate(void* object, size_t bytes, uintptr_t key) {
    if (object == nullptr) {
        return allocate(bytes, key);
    }
    if (bytes == 0) {
        release(object);
        return nullptr;
    }
    return or_out_of_memory(process_heap().reallocate(object, bytes, caller_of(key)));
}
inline void* reallocate_array(void* object, size_t count, size_t size, uintptr_t key) {
    size_t bytes = 0;
    return !__builtin_mul_overflow(count, size, &bytes) ? reallocate(object, bytes, key) : out_of_memory();
}
inline void* allocate_aligned(size_t alignment, size_t bytes, uintptr_t key) {
    return front::allocate_aligned(alignment, bytes, caller_of(key));
}
inline int allocate_into(void** result, size_t alignment, size_t bytes, uintptr_t key) {
    return front::allocate_into(result, alignment, bytes, caller_of(key));
}
inline void* allocate_pages(size_t bytes, uintptr_t key) {
    return front::allocate_aligned(platform::page_bytes(), bytes, caller_of(key));
}
inline void* allocate_whole_pages(size_t bytes, uintptr_t key) {
    return front::allocate_whole_pages(bytes, caller_of(key));
}
inline void* create(size_t bytes, const std::nothrow_t&, uintptr_t key) {
    return front::create(bytes, 0, true, caller_of(key));
}
inline void* create(size_t bytes, std::align_val_t alignment, uintptr_t key) {
    return front::create(bytes, size_t(alignment), false, caller_of(key));
}
inline void* create(size_t bytes, std::align_val_t alignment, const std::nothrow_t&, uintptr_t key) {
    return front::create(bytes, size_t(alignment), true, caller_of(key));
}

}  // namespace malloom::front::tokens

#define TOKEN_ENTRY(result, name, parameters, arguments, plain, served) \
    MALLOOM_ENTRY result __alloc_token_##name parameters {              \
        if (token == 0 || !malloom::front::tokens::are_taken()) {       \
            return plain;                                               \
        }                                                               \
        using namespace malloom::front::tokens;                         \
        const uintptr_t key = malloom::context::token_key(token);       \
        return malloom::front::tokens::served;                          \
    }
#include "runtime/front/token_entries.def"
#include "runtime/front/token_operators.def"
#undef TOKEN_ENTRY

// Without a token, as programs call them that were made for another allocator.
MALLOOM_ENTRY void* _Znwm12__hot_cold_t(size_t bytes, unsigned char) {
    return ::operator new(bytes);
}
MALLOOM_ENTRY void* _Znam12__hot_cold_t(size_t bytes, unsigned char) {
    return ::operator new[](bytes);
}
