// What the entries of the malloc family jump to where all is mimalloc's: its own functions with the few
// questions that they leave open, each on the way where mimalloc has one to ask anyway. Included by
// mimalloc_port.c after all of mimalloc.
#pragma once

#include "runtime/heaps/fallback/mimalloc_port.h"

struct malloom_entries malloom_mimalloc_others;

// Its smallest blocks are aligned to 8 bytes, and the C library aligns all to 16: nobody asks mimalloc for
// them.
enum { granule = 2 * sizeof(void*) };

static inline bool is_too_small(size_t bytes) {
    return bytes <= sizeof(void*);
}

// Of as many bytes as whole granules have: mimalloc's larger blocks are such anyway. That of no bytes is a
// page that nobody has.
static inline mi_page_t* page_at_hand(mi_theap_t* heap, size_t bytes) {
    return heap->pages_free_direct[((bytes - 1) | sizeof(void*)) / sizeof(void*) + 1];
}

// A block that is at hand, or null.
static inline __attribute__((always_inline)) void* at_hand(size_t bytes, bool is_zeroed) {
    if mi_likely (bytes <= MI_SMALL_SIZE_MAX) {
        mi_theap_t* const heap = _mi_theap_default();
        mi_page_t* const page = page_at_hand(heap, bytes);
        if mi_likely (page->free != NULL) {
            return mi_page_malloc_zero(heap, page, bytes, is_zeroed, NULL);
        }
    }
    return NULL;
}

// Where none is; null without memory.
static inline __attribute__((always_inline)) void* found(size_t bytes, bool is_zeroed) {
    return malloom_malloc_generic(_mi_theap_default(), bytes, is_zeroed, NULL);
}

static __attribute__((noinline)) void* allocate_slow(size_t bytes) {
    if mi_unlikely (is_too_small(bytes)) {
        return malloom_mimalloc_allocate(granule);
    }
    if mi_likely (bytes < malloom_mimalloc_limit) {
        void* const block = found(bytes, false);
        if mi_likely (block != NULL) {
            return block;
        }
    }
    return malloom_mimalloc_others.allocate(bytes);
}

void* malloom_mimalloc_allocate(size_t bytes) {
    void* const block = at_hand(bytes, false);
    return mi_likely(block != NULL) ? block : allocate_slow(bytes);
}

static __attribute__((noinline)) void* create_slow(size_t bytes) {
    if mi_unlikely (is_too_small(bytes)) {
        return malloom_mimalloc_create(granule);
    }
    if mi_likely (bytes < malloom_mimalloc_limit) {
        void* const block = found(bytes, false);
        if mi_likely (block != NULL) {
            return block;
        }
    }
    return malloom_mimalloc_others.create(bytes);
}

void* malloom_mimalloc_create(size_t bytes) {
    void* const block = at_hand(bytes, false);
    return mi_likely(block != NULL) ? block : create_slow(bytes);
}

static __attribute__((noinline)) void* allocate_zeroed_slow(size_t bytes) {
    if mi_unlikely (is_too_small(bytes)) {
        return malloom_mimalloc_allocate_zeroed(1, granule);
    }
    if mi_likely (bytes < malloom_mimalloc_limit) {
        void* const block = found(bytes, true);
        if mi_likely (block != NULL) {
            return block;
        }
    }
    return malloom_mimalloc_others.allocate_zeroed(1, bytes);
}

void* malloom_mimalloc_allocate_zeroed(size_t count, size_t bytes) {
    size_t all;
    if mi_unlikely (mi_count_size_overflow(count, bytes, &all)) {
        return malloom_mimalloc_others.allocate_zeroed(count, bytes);
    }
    void* const block = at_hand(all, true);
    return mi_likely(block != NULL) ? block : allocate_zeroed_slow(all);
}

void malloom_mimalloc_release(void* object) {
    const size_t slice = malloom_slice_of(object);
    if mi_unlikely (!malloom_is_in_range(slice)) {
        malloom_mimalloc_others.release(object);
        return;
    }
    mi_free_ex(object, NULL, malloom_page_at(slice));
}

static __attribute__((noinline)) void* move(void* object, size_t had, size_t bytes) {
    void* const moved = malloom_mimalloc_allocate(bytes);
    if mi_unlikely (moved == NULL) {
        return bytes <= had ? object : NULL;
    }
    memcpy(moved, object, had < bytes ? had : bytes);
    malloom_mimalloc_release(object);
    return moved;
}

// It stays where it needs its place and half of that or more, as in mimalloc's own realloc.
void* malloom_mimalloc_reallocate(void* object, size_t bytes) {
    const size_t slice = malloom_slice_of(object);
    if mi_likely (bytes != 0 && malloom_is_in_range(slice)) {
        const mi_page_t* const page = malloom_page_at(slice);
        if mi_likely (page != NULL) {
            const size_t had = _mi_usable_size(object, page);
            return bytes <= had && bytes >= had / 2 ? object : move(object, had, bytes);
        }
    }
    return malloom_mimalloc_others.reallocate(object, bytes);
}

static inline bool serves_aligned(size_t alignment, size_t bytes) {
    return bytes < malloom_mimalloc_limit && _mi_is_power_of_two(alignment) &&
           alignment - 1 < malloom_mimalloc_most_alignment;
}

// As at_hand, where the block happens to lie right.
static inline __attribute__((always_inline)) void* aligned_at_hand(size_t alignment, size_t bytes) {
    if mi_likely (bytes <= MI_SMALL_SIZE_MAX) {
        mi_theap_t* const heap = _mi_theap_default();
        mi_page_t* const page = page_at_hand(heap, bytes);
        if mi_likely (page->free != NULL && ((uintptr_t)page->free & (alignment - 1)) == 0) {
            return mi_page_malloc_zero(heap, page, bytes, false, NULL);
        }
    }
    return NULL;
}

static void* found_aligned(size_t alignment, size_t bytes) {
    return mi_malloc_aligned(is_too_small(bytes) ? granule : bytes, alignment);
}

static __attribute__((noinline)) void* allocate_aligned_slow(size_t alignment, size_t bytes) {
    void* const block = serves_aligned(alignment, bytes) ? found_aligned(alignment, bytes) : NULL;
    return mi_likely(block != NULL) ? block : malloom_mimalloc_others.allocate_aligned(alignment, bytes);
}

// What is no power of two finds no block: the slow way says so.
void* malloom_mimalloc_allocate_aligned(size_t alignment, size_t bytes) {
    void* const block = _mi_is_power_of_two(alignment) ? aligned_at_hand(alignment, bytes) : NULL;
    return mi_likely(block != NULL) ? block : allocate_aligned_slow(alignment, bytes);
}

static __attribute__((noinline)) void* create_aligned_slow(size_t bytes, size_t alignment) {
    void* const block = serves_aligned(alignment, bytes) ? found_aligned(alignment, bytes) : NULL;
    return mi_likely(block != NULL) ? block : malloom_mimalloc_others.create_aligned(bytes, alignment);
}

void* malloom_mimalloc_create_aligned(size_t bytes, size_t alignment) {
    void* const block = _mi_is_power_of_two(alignment) ? aligned_at_hand(alignment, bytes) : NULL;
    return mi_likely(block != NULL) ? block : create_aligned_slow(bytes, alignment);
}

int malloom_mimalloc_allocate_into(void** object, size_t alignment, size_t bytes) {
    void* const block = alignment >= sizeof(void*) && serves_aligned(alignment, bytes)
                            ? found_aligned(alignment, bytes)
                            : NULL;
    if mi_likely (block != NULL) {
        *object = block;
        return 0;
    }
    return malloom_mimalloc_others.allocate_into(object, alignment, bytes);
}

const struct malloom_entries malloom_mimalloc_entries = {
    malloom_mimalloc_allocate,   malloom_mimalloc_release,          malloom_mimalloc_allocate_zeroed,
    malloom_mimalloc_reallocate, malloom_mimalloc_allocate_aligned, malloom_mimalloc_allocate_into,
    malloom_mimalloc_create,     malloom_mimalloc_create_aligned,
};
