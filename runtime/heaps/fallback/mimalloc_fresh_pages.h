// What a page of mimalloc's gets before its first block: a place where its blocks begin, and its memory.
// Included by mimalloc_gated.h in front of what makes pages.
#pragma once

#include <stdatomic.h>

#include "runtime/heaps/fallback/mimalloc_port.h"

enum { colours = 8, colour_bytes = 64, largest_coloured = 512, fewest_coloured = 64 };
// Of a larger block a program may touch less than it asks for.
enum { largest_populated = 1024 };

// The process has begun to forbid itself calls of the system (malloom_mimalloc_populate_no_more).
static atomic_bool is_populated_no_more;

// Of blocks as long as a line a half, so that who follows links in one half of them finds the other fetched.
// Each heap by itself, or two that grow in step would each have half of the places.
static size_t colour_of_next(const mi_heap_t* heap, size_t block_bytes) {
    static atomic_uint all_pages[malloom_mimalloc_most_heaps];
    atomic_uint* const pages = &all_pages[heap->heap_seq % malloom_mimalloc_most_heaps];
    const size_t half = block_bytes == colour_bytes ? colour_bytes / 2 : 0;
    return half + atomic_fetch_add_explicit(pages, 1, memory_order_relaxed) % colours * colour_bytes;
}

// Of heaps for call sites: all pages of mimalloc's begin alike, and so objects of one kind, whose first lines
// a program reads, would meet in some of the cache's sets. The main heap's blocks are aligned to their bytes,
// on which mimalloc relies.
static void move_begin(mi_theap_t* theap, mi_page_t* page, size_t block_bytes) {
    const mi_heap_t* const heap = _mi_theap_heap(theap);
    if (!_mi_is_heap_main(heap) && block_bytes <= largest_coloured && page->reserved >= fewest_coloured) {
        const size_t colour = colour_of_next(heap, block_bytes);
        page->page_start += colour;
        page->reserved -= (uint16_t)((colour + block_bytes - 1) / block_bytes);
    }
}

// Where the thread has other pages of the size, which were not enough, this one will fill up too: one system
// call costs less than a page fault for each 4 KiB. Only what nobody has touched yet.
static void populate(const mi_theap_t* theap, const mi_page_t* page, size_t block_bytes) {
    if (block_bytes <= largest_populated && page->free_is_zero &&
        theap->pages[_mi_bin(block_bytes)].count != 0 &&
        !atomic_load_explicit(&is_populated_no_more, memory_order_relaxed)) {
        malloom_mimalloc_populate(mi_page_slice_start(page), MI_SMALL_PAGE_SIZE);
    }
}

// Nobody has asked for it yet.
static bool malloom_page_init(mi_theap_t* theap, mi_page_t* page) {
    const size_t block_bytes = mi_page_block_size(page);
    populate(theap, page, block_bytes);
    move_begin(theap, page, block_bytes);
    return _mi_page_init(theap, page);
}

#define _mi_page_init malloom_page_init
