/* page_malloc.h: malloc, free, calloc, realloc, aligned_alloc, memalign, posix_memalign and
 * malloc_usable_size from the page heap (runtime/heaps/pages), over the board's memory. None sets errno. Link
 * with one of the libraries malloom_page_malloc_SEARCH, by how bitmaps are searched: linear, kamp, ctz (code
 * of RV32IM), ctz_instruction, hardware (the chunk unit), or not at all: better (the window unit). calloc and
 * realloc call the C library's memset and memcpy.
 *
 * For one thread at a time, which no other may interrupt within a call. One that has a heap of its own may:
 * see malloom_page_unit_save. */
#ifndef MALLOOM_FIRMWARE_PAGE_MALLOC_H
#define MALLOOM_FIRMWARE_PAGE_MALLOC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum malloom_page_misuse {
    MALLOOM_PAGES_FOREIGN = 1,      /* an address where no object begins, or that the heap does not know */
    MALLOOM_PAGES_FREED_BEFORE,     /* an object that is free already */
    MALLOOM_PAGES_FREED_BEFORE_LATE /* the same, which the unit in hardware tells some calls late, of
                                       whichever object */
};

/* Called at such a free or realloc, which changed nothing; realloc gives null then. A program may have its
 * own, and return. This one writes a line and exits with MALLOOM_PAGES_MISUSED. */
void malloom_page_misused(enum malloom_page_misuse what, const void* object);
enum { MALLOOM_PAGES_MISUSED = 99, MALLOOM_PAGE_UNIT_WORDS = 20 };

/* What the unit in hardware knows of one heap: its bitmaps, and an error that waits. All zero for a heap that
 * has not been used yet. Without a unit there is nothing in it. */
struct malloom_page_unit_state {
    uint32_t words[MALLOOM_PAGE_UNIT_WORDS];
};

/* Whoever goes from one heap to another, as a handler of interrupts that has its own, saves the one's state
 * and restores the other's, and the other way round when it goes back; both with interrupts off. It may come
 * between any two instructions of the heaps' calls. */
void malloom_page_unit_save(struct malloom_page_unit_state* state);
void malloom_page_unit_restore(struct malloom_page_unit_state* state);

/* Whether all that the heap knows agrees. It goes through all pages with room. */
int malloom_page_heap_is_valid(void);

#ifdef __cplusplus
}
#endif

#endif
