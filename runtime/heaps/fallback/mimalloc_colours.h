// Where the blocks of a page begin, of heaps for call sites: all pages of mimalloc's begin alike, and so
// objects of one kind, whose first lines a program reads, would meet in some of the cache's sets. Included by
// mimalloc_gated.h in front of what makes pages.
#pragma once

#include <stdatomic.h>

enum { colours = 8, colour_bytes = 64, largest_coloured = 512, fewest_coloured = 64 };

// Of blocks as long as a line a half, so that who follows links in one half of them finds the other fetched.
static size_t colour_of_next(size_t block_bytes) {
    static atomic_uint pages;
    const size_t half = block_bytes == colour_bytes ? colour_bytes / 2 : 0;
    return half + atomic_fetch_add_explicit(&pages, 1, memory_order_relaxed) % colours * colour_bytes;
}

// Nobody has asked for it yet. The main heap's blocks are aligned to their bytes, on which mimalloc relies.
static bool malloom_page_init(mi_theap_t* theap, mi_page_t* page) {
    const size_t block_bytes = mi_page_block_size(page);
    if (!_mi_is_heap_main(_mi_theap_heap(theap)) && block_bytes <= largest_coloured &&
        page->reserved >= fewest_coloured) {
        const size_t colour = colour_of_next(block_bytes);
        page->page_start += colour;
        page->reserved -= (uint16_t)((colour + block_bytes - 1) / block_bytes);
    }
    return _mi_page_init(theap, page);
}

#define _mi_page_init malloom_page_init
