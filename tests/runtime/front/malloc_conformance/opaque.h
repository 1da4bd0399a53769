// Keeps compilers from working out ahead what the malloc family is asked for, and from warning of it.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace malloom::tests {

/// The same value, of which nothing is known.
template <typename T>
inline T opaque(T value) {
    __asm__ volatile("" : "+r"(value) : : "memory");
    return value;
}

/// Sizes that nobody can have. The C library draws its line at PTRDIFF_MAX.
inline const size_t impossible_sizes[] = {SIZE_MAX, SIZE_MAX - 4096, size_t{PTRDIFF_MAX} + 1, PTRDIFF_MAX,
                                          size_t{1} << 60};
/// The same for operator new, where GCC's library rounds those beyond up to nothing.
inline const size_t impossible_to_create[] = {size_t{PTRDIFF_MAX} + 1, PTRDIFF_MAX, size_t{1} << 60};

inline bool is_aligned(const void* object, size_t alignment) {
    return reinterpret_cast<uintptr_t>(object) % alignment == 0;
}

/// Whether all bytes have that value.
inline bool holds(const void* object, unsigned char value, size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(object);
    for (size_t i = 0; i < bytes; ++i) {
        if (byte[i] != value) {
            return false;
        }
    }
    return true;
}

}  // namespace malloom::tests
