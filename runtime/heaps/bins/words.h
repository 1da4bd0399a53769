// Memory by words: no C library is there whose functions would do it.
#pragma once

#include <stddef.h>

namespace malloom::heaps::bins {

/// Words, as the compiler must not make calls of a C library's functions from these loops.
inline void copy_words(void* to, const void* from, size_t bytes) {
    auto* into = static_cast<volatile size_t*>(to);
    const auto* source = static_cast<const size_t*>(from);
    for (size_t word = 0; word < bytes / sizeof(size_t); ++word) {
        into[word] = source[word];
    }
}
inline void clear_words(void* to, size_t bytes) {
    auto* into = static_cast<volatile size_t*>(to);
    for (size_t word = 0; word < bytes / sizeof(size_t); ++word) {
        into[word] = 0;
    }
}

}  // namespace malloom::heaps::bins
