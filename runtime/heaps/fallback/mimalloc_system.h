// mimalloc's system layer over the run time's (mimalloc/prim.h says what each function has to do). Included
// after all of mimalloc.
#pragma once

#include <errno.h>
#include <mimalloc/prim.h>
#include <pthread.h>

#include "runtime/heaps/fallback/mimalloc_port.h"
#include "runtime/platform/system_calls.h"

static mi_lock_t addresses_lock = MI_LOCK_INITIALIZER;
static __attribute__((tls_model("initial-exec"))) _Thread_local bool has_addresses_lock;

// False for a signal handler that interrupted its thread while that has it.
static bool addresses_enter(void) {
    if (has_addresses_lock) {
        return false;
    }
    has_addresses_lock = true;
    atomic_signal_fence(memory_order_seq_cst);
    mi_lock_acquire(&addresses_lock);
    return true;
}

static void addresses_leave(void) {
    mi_lock_release(&addresses_lock);
    atomic_signal_fence(memory_order_seq_cst);
    has_addresses_lock = false;
}

// Without overcommit: then it opens what it needs, and looks whether it was opened.
void _mi_prim_mem_init(mi_os_mem_config_t* config) {
    config->page_size = malloom_mimalloc_page_bytes();
    config->alloc_granularity = config->page_size;
    config->large_page_size = 2 * MI_MiB;
    config->has_overcommit = false;
    config->has_partial_free = true;
    config->has_virtual_reserve = true;
    config->has_transparent_huge_pages = false;
}

// What a handler cannot give back is not used again.
int _mi_prim_free(void* start, size_t bytes) {
    if (addresses_enter()) {
        malloom_mimalloc_give_back(start, bytes);
        addresses_leave();
    }
    return 0;
}

static bool open_now(void* start, size_t bytes) {
    bool is_open = malloom_mimalloc_is_open(start, bytes);
    if (!is_open && addresses_enter()) {
        is_open = malloom_mimalloc_open(start, bytes);
        addresses_leave();
    }
    return is_open;
}

int _mi_prim_alloc(void* hint, size_t bytes, size_t alignment, bool is_open, bool may_be_large,
                   bool* is_large, bool* is_zero, void** start) {
    (void)hint;
    (void)may_be_large;
    *is_large = false;
    *is_zero = true;
    *start = NULL;
    if (addresses_enter()) {
        *start = malloom_mimalloc_take(bytes, alignment);
        addresses_leave();
    }
    if (*start != NULL && is_open && !open_now(*start, bytes)) {
        _mi_prim_free(*start, bytes);
        *start = NULL;
    }
    return *start != NULL ? 0 : ENOMEM;
}

// What was opened before, or beside what was asked for, may have been written to.
int _mi_prim_commit(void* start, size_t bytes, bool* is_zero) {
    *is_zero = false;
    return open_now(start, bytes) ? 0 : ENOMEM;
}

void malloom_mimalloc_populate_no_more(void) {
    atomic_store_explicit(&is_populated_no_more, true, memory_order_relaxed);
}

static long purge_delay_before = -1;

void malloom_mimalloc_keep(void) {
    malloom_mimalloc_populate_no_more();
    const long purge_delay = mi_option_get(mi_option_purge_delay);
    if (purge_delay != -1) {
        purge_delay_before = purge_delay;
    }
    mi_option_set(mi_option_purge_delay, -1);
    if (addresses_enter()) {
        malloom_mimalloc_open_more();
        addresses_leave();
    }
}

void malloom_mimalloc_keep_no_more(void) {
    mi_option_set(mi_option_purge_delay, purge_delay_before);
}

int _mi_prim_decommit(void* start, size_t bytes, bool* must_be_opened) {
    *must_be_opened = false;
    if (addresses_enter()) {
        *must_be_opened = malloom_mimalloc_close(start, bytes);
        addresses_leave();
    }
    return 0;
}

int _mi_prim_reset(void* start, size_t bytes) {
    malloom_mimalloc_discard(start, bytes);
    return 0;
}

int _mi_prim_reuse(void* start, size_t bytes) {
    (void)start;
    (void)bytes;
    return 0;
}

// For guard pages, which this build has none of.
int _mi_prim_protect(void* start, size_t bytes, bool is_protected) {
    (void)start;
    (void)bytes;
    (void)is_protected;
    return ENOSYS;
}

// Pages of 1 GiB, which nobody can ask for here.
int _mi_prim_alloc_huge_os_pages(void* hint, size_t bytes, int node, bool* is_zero, void** start) {
    (void)hint;
    (void)bytes;
    (void)node;
    *is_zero = false;
    *start = NULL;
    return ENOMEM;
}

size_t _mi_prim_numa_node(void) {
    return 0;
}

size_t _mi_prim_numa_node_count(void) {
    return 1;
}

mi_msecs_t _mi_prim_clock_now(void) {
    return malloom_mimalloc_now();
}

// For statistics that nobody prints.
void _mi_prim_process_info(mi_process_info_t* info) {
    (void)info;
}

// What is wrong the run time says in its own words.
void _mi_prim_out_stderr(const char* message) {
    (void)message;
}

// Its options come from the run time alone.
bool _mi_prim_getenv(const char* name, char* result, size_t bytes) {
    (void)name;
    (void)result;
    (void)bytes;
    return false;
}

// It then draws from the clock and addresses: only its hardened builds need more, and a thread that begins
// makes no system call.
bool _mi_prim_random_buf(void* buffer, size_t bytes) {
    (void)buffer;
    (void)bytes;
    return false;
}

// Any key is another's until it is made.
static pthread_key_t end_of_thread;
static bool has_end_of_thread;

static void thread_ends(void* heap) {
    if (heap != NULL) {
        leave_parts();
        const bool is_first = malloom_pages_enter();
        _mi_thread_done((mi_theap_t*)heap);
        if (is_first) {
            malloom_pages_leave();
        }
    }
}

void _mi_prim_thread_init_auto_done(void) {
    has_end_of_thread = pthread_key_create(&end_of_thread, thread_ends) == 0;
}

void _mi_prim_thread_done_auto_done(void) {}

void _mi_prim_thread_associate_default_theap(mi_theap_t* heap) {
    if (has_end_of_thread) {
        pthread_setspecific(end_of_thread, heap);
    }
}

bool _mi_prim_thread_is_in_threadpool(void) {
    return false;
}

void _mi_prim_thread_yield(void) {
    static __attribute__((tls_model("initial-exec"))) _Thread_local unsigned waited;
    malloom_wait_for_others(++waited);
}

bool _mi_is_redirected(void) {
    return false;
}

bool _mi_allocator_init(const char** message) {
    *message = NULL;
    return true;
}

void _mi_allocator_done(void) {}
