/* page_malloc.h: malloc, free, calloc and realloc from the page heap (runtime/heaps/pages), over the board's
 * memory. Link with one of the libraries malloom_page_malloc_SEARCH, by how bitmaps are searched: linear,
 * kamp, ctz (code of RV32IM), ctz_instruction, hardware. calloc and realloc call the C library's memset and
 * memcpy.
 *
 * One thread, and no interrupts that allocate, but see malloom_page_heap_save. */
#ifndef MALLOOM_FIRMWARE_PAGE_MALLOC_H
#define MALLOOM_FIRMWARE_PAGE_MALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum malloom_page_misuse {
    MALLOOM_PAGES_FOREIGN = 1,      /* an address where no object begins, or that the heap does not know */
    MALLOOM_PAGES_FREED_BEFORE,     /* an object that is free already */
    MALLOOM_PAGES_FREED_BEFORE_LATE /* the same, which the unit in hardware tells some calls late, of
                                       whichever object */
};

/* Called at such a free, which changed nothing. A program may have its own, and return. This one writes a
 * line and exits with MALLOOM_PAGES_MISUSED. */
void malloom_page_misused(enum malloom_page_misuse what, const void* object);
enum { MALLOOM_PAGES_MISUSED = 99 };

/* Around what another heap does with the same unit in hardware: all bitmaps are in memory meanwhile. Nothing
 * where there is no unit. */
void malloom_page_heap_save(void);
void malloom_page_heap_restore(void);

/* Whether all that the heap knows agrees. It goes through all pages with room. */
int malloom_page_heap_is_valid(void);

#ifdef __cplusplus
}
#endif

#endif
