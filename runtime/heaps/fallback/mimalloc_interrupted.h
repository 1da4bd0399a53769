// What a signal handler leaves alone that interrupted its thread in mimalloc: new pages and heaps, and
// retiring pages, for which it could wait for ever. Blocks of pages that the thread has it may take and give
// back, as safely as the C library's: within a few instructions of a request or a free neither is. All of
// this lies on ways that a request seldom goes, so that the others cost nothing: none of it is inlined, or
// they would have its frames. Included by mimalloc_gated.h in front of what frees.
#pragma once

#include <stdatomic.h>

#include "runtime/heaps/fallback/fork_gate.h"

// Stays set where a handler leaves the work by a jump: then the thread gets no further pages.
static __attribute__((tls_model("initial-exec"))) _Thread_local bool malloom_changes_pages;

// A heap is being made, for which mimalloc asks itself for memory while it has a lock that no request takes.
static __attribute__((tls_model("initial-exec"))) _Thread_local bool malloom_makes_heap;

static inline bool malloom_pages_are_left_alone(void) {
    return malloom_changes_pages || (malloom_fork_gate_is_inside() && !malloom_makes_heap);
}

// False where they are, and nothing is to be left.
static inline bool malloom_pages_enter(void) {
    if mi_unlikely (malloom_pages_are_left_alone()) {
        return false;
    }
    malloom_changes_pages = true;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static inline void malloom_pages_leave(void) {
    atomic_signal_fence(memory_order_seq_cst);
    malloom_changes_pages = false;
}

// As without memory: others serve it.
static __attribute__((noinline)) mi_page_t* malloom_page_alloc(mi_theap_t* theap, size_t block_bytes,
                                                               size_t alignment) {
    mi_page_t* page = NULL;
    if mi_likely (malloom_pages_enter()) {
        page = _mi_arenas_page_alloc(theap, block_bytes, alignment);
        malloom_pages_leave();
    }
    return page;
}

// A thread that has no heap yet, and gets none here, has no memory of mimalloc's.
static __attribute__((noinline)) void malloom_thread_init(void) {
    if mi_likely (malloom_pages_enter()) {
        mi_thread_init();
        malloom_pages_leave();
    }
}

static __attribute__((noinline)) void malloom_collect(mi_theap_t* theap, bool is_forced) {
    if mi_likely (malloom_pages_enter()) {
        mi_theap_collect(theap, is_forced);
        malloom_pages_leave();
    }
}

// A page without objects that is not retired serves on, and goes back when mimalloc looks at all of them.
static __attribute__((noinline)) void malloom_page_retire(mi_page_t* page) {
    if mi_likely (malloom_pages_enter()) {
        _mi_page_retire(page);
        malloom_pages_leave();
    }
}

// The next block that is freed in a page that counts as full says so again.
static __attribute__((noinline)) void malloom_page_unfull(mi_page_t* page) {
    if mi_likely (malloom_pages_enter()) {
        _mi_page_unfull(page);
        malloom_pages_leave();
    }
}

// A thread's part of a heap: takes a lock that requests take too, and asks the main heap for nothing.
static __attribute__((noinline)) void* malloom_meta_zalloc(size_t bytes, mi_memid_t* memid) {
    const bool had = malloom_changes_pages;
    malloom_changes_pages = true;
    atomic_signal_fence(memory_order_seq_cst);
    void* const made = _mi_meta_zalloc(bytes, memid);
    atomic_signal_fence(memory_order_seq_cst);
    malloom_changes_pages = had;
    return made;
}

// While a part is made its place has a 1, which a handler that frees would take for a part.
static void* malloom_thread_local_get(mi_thread_local_t key) {
    void* const value = _mi_thread_local_get(key);
    return value != (void*)1 ? value : NULL;
}

#define _mi_page_retire malloom_page_retire
#define _mi_page_unfull malloom_page_unfull
