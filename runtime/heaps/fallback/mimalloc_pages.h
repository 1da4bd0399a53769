// mimalloc's map from addresses to its pages, in place of its own page-map.c, which is for all addresses that
// there are: of one range, so that one look tells whether an address is mimalloc's at all. Included by
// mimalloc_gated.h.
#pragma once

#include "runtime/heaps/fallback/mimalloc_port.h"

_Static_assert(malloom_mimalloc_slice == MI_ARENA_SLICE_SIZE, "the map is of mimalloc's slices");

static inline size_t malloom_slice_of(const void* address) {
    return ((uintptr_t)address - malloom_mimalloc_range.base) / MI_ARENA_SLICE_SIZE;
}

// Another thread may be adding to it. Compilers do not compare with an atomic variable's memory.
static inline bool malloom_is_in_range(size_t slice) {
#if MI_TSAN
    return slice < mi_atomic_load_relaxed((_Atomic(size_t)*)&malloom_mimalloc_range.slices);
#else
    return slice < malloom_mimalloc_range.slices;
#endif
}

static inline mi_page_t* malloom_page_at(size_t slice) {
    return (mi_page_t*)malloom_mimalloc_range.pages[slice];
}

static inline mi_page_t* _mi_ptr_page(const void* address) {
    const size_t slice = malloom_slice_of(address);
    return malloom_is_in_range(slice) ? malloom_page_at(slice) : NULL;
}

mi_page_t* _mi_safe_ptr_page(const void* address) {
    return _mi_ptr_page(address);
}

bool mi_is_in_heap_region(const void* address) {
    return _mi_ptr_page(address) != NULL;
}

bool _mi_page_map_init(void) {
    return true;
}

void _mi_page_map_unsafe_destroy(mi_subproc_t* process) {
    (void)process;
}

// Of a page of several slices no object begins beyond MI_LARGE_PAGE_SIZE.
static void malloom_set_page(mi_page_t* page, mi_page_t* wanted) {
    size_t bytes;
    const uint8_t* const start = mi_page_area(page, &bytes);
    if (bytes > MI_LARGE_PAGE_SIZE) {
        bytes = MI_LARGE_PAGE_SIZE - MI_ARENA_SLICE_SIZE;
    }
    const size_t before = (size_t)(start - mi_page_slice_start(page)) / MI_ARENA_SLICE_SIZE;
    void** const first = malloom_mimalloc_range.pages + malloom_slice_of(start);
    for (size_t slice = 0; slice < mi_slice_count_of_size(bytes) + before; ++slice) {
        first[slice] = wanted;
    }
}

// What mimalloc has taken from the range has its part of the map.
bool _mi_page_map_register(mi_page_t* page) {
    malloom_set_page(page, page);
    return true;
}

void _mi_page_map_unregister(mi_page_t* page) {
    malloom_set_page(page, NULL);
}

void _mi_page_map_unregister_range(void* start, size_t bytes) {
    memset(malloom_mimalloc_range.pages + malloom_slice_of(start), 0,
           _mi_divide_up(bytes, MI_ARENA_SLICE_SIZE) * sizeof(void*));
}
