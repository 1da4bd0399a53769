// mimalloc as a part of the run time, in one file as its own static.c. cmake/mimalloc.cmake says how it is
// compiled.
#include "runtime/heaps/fallback/mimalloc_port.h"

#define MALLOOM_MIMALLOC_RANGE
// In this order: each needs those before it.
#include "runtime/heaps/fallback/mimalloc_gated.h"

#include "runtime/heaps/fallback/mimalloc_entries.h"

#include "runtime/heaps/fallback/mimalloc_heaps.h"

#include "runtime/heaps/fallback/mimalloc_system.h"

struct malloom_mimalloc_range malloom_mimalloc_range;

// What it calls when something is wrong. That there is no memory says who has asked all others too.
static void say_nothing(int error, void* argument) {
    (void)error;
    (void)argument;
}

bool malloom_mimalloc_is_interrupted(void) {
    return malloom_pages_are_left_alone();
}

void malloom_mimalloc_start(size_t step_bytes, long purge_delay, size_t least_purged) {
    malloom_fork_gate_open();
    mi_option_set(mi_option_arena_reserve, (long)(step_bytes / MI_KiB));
    mi_option_set(mi_option_arena_eager_commit, 0);
    mi_option_set(mi_option_minimal_purge_size, (long)(least_purged / MI_KiB));
    if (purge_delay >= -1) {
        mi_option_set(mi_option_purge_delay, purge_delay);
    }
    mi_register_error(say_nothing, NULL);
    _mi_auto_process_init();
}
