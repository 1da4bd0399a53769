// Heaps of mimalloc's beside its main one, for call sites: what they give lies on pages of its own, in the
// same memory as all else, and is freed like all else. A thread's part of each is found by the heap's number.
// Included by mimalloc_port.c after the entries, in front of what ends threads.
#pragma once

#include <stdatomic.h>

#include "runtime/heaps/fallback/mimalloc_port.h"

// By their numbers, from 1 on.
enum { numbers = malloom_mimalloc_most_heaps + 1 };
static mi_heap_t* further_heaps[numbers];
/// Of each size class, how many sites have a heap.
static uint16_t sites_of_class[MI_BIN_COUNT];
static mi_lock_t adding = MI_LOCK_INITIALIZER;

// Of threads without parts: none has a page at hand. Filled before the first heap is known.
static mi_theap_t* no_parts[numbers];
static __attribute__((tls_model("initial-exec"))) _Thread_local mi_theap_t** parts = no_parts;
// It has ended.
static __attribute__((tls_model("initial-exec"))) _Thread_local bool gets_no_parts;

// False for a handler that came while its thread makes a heap or a part, or is within mimalloc.
static bool begin_making(void) {
    if (malloom_makes_heap || malloom_pages_are_left_alone()) {
        return false;
    }
    malloom_makes_heap = true;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static void end_making(void) {
    atomic_signal_fence(memory_order_seq_cst);
    malloom_makes_heap = false;
}

static void have_no_parts(mi_theap_t** those) {
    for (size_t number = 0; number < numbers; ++number) {
        those[number] = (mi_theap_t*)&_mi_theap_empty;
    }
}

static bool has_heap(uint32_t number) {
    if (further_heaps[number] == NULL) {
        if (no_parts[0] == NULL) {
            have_no_parts(no_parts);
        }
        further_heaps[number] = mi_heap_new();
    }
    return further_heaps[number] != NULL;
}

static uint32_t next_heap(uint16_t* sites) {
    const uint32_t number = 1 + *sites % malloom_mimalloc_most_heaps;
    if (!has_heap(number)) {
        return malloom_mimalloc_no_heap;
    }
    ++*sites;
    return number;
}

static size_t room_for(size_t bytes) {
    return is_too_small(bytes) ? granule : bytes;
}

// The n-th site of a size class has the n-th heap: mimalloc keeps sizes apart by itself, and each heap takes
// some 50 KB. What is more shares them.
uint32_t malloom_mimalloc_add_heap(size_t bytes) {
    uint32_t number = malloom_mimalloc_no_heap;
    if (begin_making()) {
        mi_lock(&adding) {
            number = next_heap(&sites_of_class[_mi_bin(room_for(bytes))]);
        }
        end_making();
    }
    return number;
}

// What mimalloc knows of a heap's pages in an arena lies in its main heap, and it would ask for that in the
// middle of making a page, where it is left alone. Without it the page lies outside the arena, which is no
// harm.
static void know_arena(mi_heap_t* heap, mi_arena_t* arena) {
    if (arena == NULL || mi_heap_arena_pages(heap, arena) != NULL) {
        return;
    }
    mi_arena_pages_t* pages = mi_arena_pages_alloc(arena);
    mi_lock(&heap->arena_pages_lock) {
        if (mi_heap_arena_pages(heap, arena) == NULL) {
            mi_atomic_store_ptr_release(mi_arena_pages_t, &heap->arena_pages[arena->arena_idx], pages);
            pages = NULL;
        }
    }
    mi_free(pages);
}

static void know_arenas(mi_heap_t* heap) {
    const size_t count = mi_arenas_get_count(heap->subproc);
    for (size_t index = 0; index < count; ++index) {
        know_arena(heap, mi_arena_from_index(heap->subproc, index));
    }
}

static mi_theap_t** own_parts(void) {
    if (parts == no_parts) {
        mi_theap_t** const own = (mi_theap_t**)mi_malloc(sizeof no_parts);
        if (own == NULL) {
            return NULL;
        }
        have_no_parts(own);
        parts = own;
    }
    return parts;
}

// A part takes a page of mimalloc's at least, so another thread than the process's first gets one when it has
// asked some times.
static bool asks_seldom(uint32_t number) {
    enum { often = 32 };
    static __attribute__((tls_model("initial-exec"))) _Thread_local uint8_t asked[numbers];
    if (asked[number] == often || _mi_is_main_thread()) {
        return false;
    }
    ++asked[number];
    return true;
}

// Null of no heap, without memory, for a handler that came within this or within mimalloc, and for a thread
// that has ended.
static mi_theap_t* own_part(uint32_t number) {
    if (number == malloom_mimalloc_no_heap || gets_no_parts || asks_seldom(number) || !begin_making()) {
        return NULL;
    }
    mi_theap_t** const own = own_parts();
    mi_theap_t* part = NULL;
    if (own != NULL) {
        part = own[number] == &_mi_theap_empty ? mi_heap_theap(further_heaps[number]) : own[number];
        part = _mi_theap_heap(part) == further_heaps[number] ? part : NULL;
        own[number] = part != NULL ? part : own[number];
        know_arenas(further_heaps[number]);
    }
    end_making();
    return part;
}

static inline void* at_hand_in(size_t bytes, uint32_t number) {
    mi_theap_t* const part = parts[number];
    if mi_likely (bytes <= MI_SMALL_SIZE_MAX) {
        mi_page_t* const page = page_at_hand(part, bytes);
        if mi_likely (page->free != NULL) {
            return mi_page_malloc_zero(part, page, bytes, false, NULL);
        }
    }
    return NULL;
}

static __attribute__((noinline)) void* found_in(size_t bytes, uint32_t number) {
    mi_theap_t* const part = own_part(number);
    return part != NULL ? malloom_malloc_generic(part, room_for(bytes), false, NULL) : NULL;
}

void* malloom_mimalloc_try_in(size_t bytes, uint32_t number) {
    void* const block = at_hand_in(bytes, number);
    return mi_likely(block != NULL) ? block : found_in(bytes, number);
}

static __attribute__((noinline)) void* allocate_in_slow(size_t bytes, uint32_t number) {
    void* const block = found_in(bytes, number);
    return mi_likely(block != NULL) ? block : malloom_mimalloc_allocate(bytes);
}

void* malloom_mimalloc_allocate_in(size_t bytes, uint32_t number) {
    void* const block = at_hand_in(bytes, number);
    return mi_likely(block != NULL) ? block : allocate_in_slow(bytes, number);
}

static __attribute__((noinline)) void* create_in_slow(size_t bytes, uint32_t number) {
    void* const block = found_in(bytes, number);
    return mi_likely(block != NULL) ? block : malloom_mimalloc_create(bytes);
}

void* malloom_mimalloc_create_in(size_t bytes, uint32_t number) {
    void* const block = at_hand_in(bytes, number);
    return mi_likely(block != NULL) ? block : create_in_slow(bytes, number);
}

bool malloom_mimalloc_is_in_heap(const void* object) {
    const mi_heap_t* const heap = mi_heap_of(object);
    return heap != NULL && !_mi_is_heap_main(heap);
}

// Before mimalloc ends the thread's parts.
static void leave_parts(void) {
    gets_no_parts = true;
    if (parts != no_parts) {
        mi_theap_t** const own = parts;
        parts = no_parts;
        mi_free(own);
    }
}
