// mimalloc as a part of the run time, in one file as its own static.c. cmake/mimalloc.cmake says how it is
// compiled.
#include "runtime/heaps/fallback/mimalloc_port.h"

#include "runtime/heaps/fallback/mimalloc_gated.h"
#include "runtime/heaps/fallback/mimalloc_system.h"

// What it calls when something is wrong: without memory, as malloc has to say it.
static void set_errno(int error, void* argument) {
    (void)argument;
    errno = error;
}

bool malloom_mimalloc_start(size_t step_bytes) {
    malloom_fork_gate_open();
    mi_option_set(mi_option_arena_reserve, (long)(step_bytes / MI_KiB));
    mi_option_set(mi_option_arena_eager_commit, 0);
    mi_register_error(set_errno, NULL);
    _mi_auto_process_init();
    return _mi_page_map != NULL;
}
