// Every entry point of the malloc family and every form of operator new and delete, over one product's heap.
//
// Included once, by the one source file that is a product's front, after it has declared
//     namespace malloom::front { inline SomeProcessHeap& process_heap(); }
// The entries own what the standards say about arguments, errno and new handlers; the heap owns the memory.
// They behave as the C library's: zero sizes give distinct objects, realloc(object, 0) frees, alignments of
// memalign that are no powers of two are rounded up. No lock is taken here.
#pragma once

#include <errno.h>
#include <stddef.h>

#include "runtime/front/entry_paths.h"
#include "runtime/platform/memory.h"

namespace malloom::front {

inline void* allocate_whole_pages(size_t bytes, const context::Caller& caller) {
    const size_t page = platform::page_bytes();
    const size_t rounded = platform::round_up(bytes, page);
    return rounded >= bytes ? allocate_aligned(page, rounded, caller) : out_of_memory();
}

}  // namespace malloom::front

#define MALLOOM_ENTRY extern "C" [[gnu::visibility("default")]]

MALLOOM_ENTRY void* malloc(size_t bytes) {
    return malloom::front::Entry<>::allocate(bytes);
}

MALLOOM_ENTRY void free(void* object) {
    malloom::front::Entry<>::release(object);
}

MALLOOM_ENTRY void cfree(void* object) {
    malloom::front::Entry<>::release(object);
}

MALLOOM_ENTRY void free_sized(void* object, size_t) {
    malloom::front::Entry<>::release(object);
}

MALLOOM_ENTRY void free_aligned_sized(void* object, size_t, size_t) {
    malloom::front::Entry<>::release(object);
}

MALLOOM_ENTRY void* calloc(size_t count, size_t bytes) {
    return malloom::front::Entry<>::allocate_zeroed(count, bytes);
}

MALLOOM_ENTRY void* realloc(void* object, size_t bytes) {
    return malloom::front::Entry<>::reallocate(object, bytes);
}

// The C library's reallocarray asks realloc by its name: that of a program which has one of its own. Where
// the program has not, this is the entry above.
extern "C" [[gnu::visibility("hidden"), gnu::alias("realloc"), gnu::alloc_size(2), gnu::nothrow]] void*
malloom_own_realloc(void*, size_t);
static void* (*volatile realloc_by_name)(void*, size_t) = realloc;

MALLOOM_ENTRY void* reallocarray(void* object, size_t count, size_t bytes) {
    size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        return malloom::front::out_of_memory();
    }
    const auto by_name = realloc_by_name;
    return by_name == malloom_own_realloc ? malloom::front::Entry<>::reallocate(object, total)
                                          : by_name(object, total);
}

MALLOOM_ENTRY void* memalign(size_t alignment, size_t bytes) {
    return malloom::front::Entry<>::allocate_aligned(alignment, bytes);
}

MALLOOM_ENTRY void* aligned_alloc(size_t alignment, size_t bytes) {
    return malloom::front::Entry<>::allocate_aligned(alignment, bytes);
}

MALLOOM_ENTRY int posix_memalign(void** result, size_t alignment, size_t bytes) {
    return malloom::front::Entry<>::allocate_into(result, alignment, bytes);
}

MALLOOM_ENTRY void* valloc(size_t bytes) {
    using namespace malloom;
    return front::allocate_aligned(platform::page_bytes(), bytes, context::current_caller());
}

MALLOOM_ENTRY void* pvalloc(size_t bytes) {
    return malloom::front::allocate_whole_pages(bytes, malloom::context::current_caller());
}

MALLOOM_ENTRY size_t malloc_usable_size(void* object) {
    return object == nullptr ? 0 : malloom::front::process_heap().usable_size(object);
}

// Behind the C family, whose entries are called most: they lie first in the library.
#include "runtime/front/operator_entries.h"
