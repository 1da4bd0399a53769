// All of mimalloc but its system layer, as its own static.c has it, with locks that a fork waits for
// (fork_gate.h). Included once, after what defines how it is built; the including file adds the system layer.
// mimalloc's sources are no part of this tree: setup/mimalloc_source.sh fetches them.
#pragma once

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif

#include <mimalloc.h>

#include "runtime/heaps/fallback/fork_gate.h"

// Its locks by other names, so that all its code gets those below; and where all its memory lies in one
// range, what finds an address's page.
#define mi_lock_acquire mi_lock_acquire_alone
#define mi_lock_release mi_lock_release_alone
#ifdef MALLOOM_MIMALLOC_RANGE
#define _mi_ptr_page mi_ptr_page_anywhere
#endif
#include <mimalloc/internal.h>
#undef mi_lock_acquire
#undef mi_lock_release
#ifdef MALLOOM_MIMALLOC_RANGE
#undef _mi_ptr_page
#include "runtime/heaps/fallback/mimalloc_pages.h"
#endif

static inline void mi_lock_acquire(mi_lock_t* lock) {
    malloom_fork_gate_enter();
    mi_lock_acquire_alone(lock);
}

static inline void mi_lock_release(mi_lock_t* lock) {
    mi_lock_release_alone(lock);
    malloom_fork_gate_leave();
}

// What one thread does and others then leave out: a child in whose parent another thread did it would leave
// it out for ever.
static inline bool malloom_guard_enter(mi_atomic_guard_t* guard) {
    uintptr_t nobody = 0;
    malloom_fork_gate_enter();
    const bool is_first = mi_atomic_cas_strong_acq_rel(guard, &nobody, (uintptr_t)1);
    if (!is_first) {
        malloom_fork_gate_leave();
    }
    return is_first;
}

static inline void malloom_guard_leave(mi_atomic_guard_t* guard) {
    mi_atomic_store_release(guard, (uintptr_t)0);
    malloom_fork_gate_leave();
}

#undef mi_atomic_guard
#define mi_atomic_guard(guard) \
    for (bool is_first = malloom_guard_enter(guard); is_first; is_first = false, malloom_guard_leave(guard))

// NOLINTBEGIN(bugprone-suspicious-include)
#include <bitmap.c>

// Others spin until a page that somebody looks at is back in the map.
static inline bool malloom_find_and_claim(mi_bitmap_t* bitmap, size_t sequence, size_t* index,
                                          mi_claim_fun_t* claim, mi_arena_t* arena) {
    malloom_fork_gate_enter();
    const bool is_found = mi_bitmap_try_find_and_claim(bitmap, sequence, index, claim, arena);
    malloom_fork_gate_leave();
    return is_found;
}
#define mi_bitmap_try_find_and_claim malloom_find_and_claim

#ifdef MALLOOM_MIMALLOC_RANGE
#include "runtime/heaps/fallback/mimalloc_interrupted.h"

#include "runtime/heaps/fallback/mimalloc_fresh_pages.h"
#endif

// alloc.c brings free.c along, page.c page-queue.c.
#include <alloc-aligned.c>
#include <alloc-posix.c>
#include <alloc.c>
#include <arena-meta.c>
#include <arena.c>
#ifdef MALLOOM_MIMALLOC_RANGE
#define _mi_thread_local_get malloom_thread_local_get
#define _mi_meta_zalloc malloom_meta_zalloc
#endif
#include <heap.c>
#undef _mi_thread_local_get
#include <init.c>
#include <libc.c>
#include <options.c>
#include <os.c>
#ifdef MALLOOM_MIMALLOC_RANGE
#undef _mi_page_init
#undef _mi_page_retire
#undef _mi_page_unfull
// The way of a request that finds no free block at hand is a part of the entries', so that they need not look
// at what it gives.
#define _mi_malloc_generic malloom_malloc_generic
static inline __attribute__((always_inline)) void* malloom_malloc_generic(mi_theap_t* theap, size_t bytes,
                                                                          size_t zeroed_or_alignment,
                                                                          size_t* usable);
#define _mi_arenas_page_alloc malloom_page_alloc
#define mi_theap_collect malloom_collect
#define mi_thread_init malloom_thread_init
#include <page.c>
#undef mi_thread_init
#undef mi_theap_collect
#undef _mi_arenas_page_alloc
#undef _mi_malloc_generic
void* _mi_malloc_generic(mi_theap_t* theap, size_t bytes, size_t zeroed_or_alignment, size_t* usable) {
    return malloom_malloc_generic(theap, bytes, zeroed_or_alignment, usable);
}
#else
#include <page-map.c>
#include <page.c>
#endif
#include <random.c>
#include <stats.c>
#include <theap.c>
#undef _mi_meta_zalloc
#include <threadlocal.c>
// NOLINTEND(bugprone-suspicious-include)
