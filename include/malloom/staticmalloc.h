/* staticmalloc.h: the interface of Cyll's libstaticmalloc (thesis, section 3.2) over malloom.h, so that
 * programs written for it compile unchanged. Which plan is used is said on the command line, so malloc_init
 * ignores the name. The thesis's parameter `friend` is a keyword of C++, so it is called companion here. */
#ifndef MALLOOM_STATICMALLOC_H
#define MALLOOM_STATICMALLOC_H

#include "malloom.h"

MALLOOM_INLINE void malloc_init(const char* name) {
    (void)name;
}

MALLOOM_INLINE void malloc_status(void) {
    malloom_status();
}

/* Cyll's library ends the program here when it logs; malloom ends the recording, and the program goes on. */
MALLOOM_INLINE void malloc_done_logging(void) {
    malloom_stop_recording();
}

MALLOOM_INLINE void ping(void* pointer, unsigned int weight) {
    malloom_touch(pointer, weight);
}

MALLOOM_INLINE void* ccmalloc(unsigned int size, void* companion) {
    return malloom_allocate_near(size, companion);
}

MALLOOM_INLINE void* cccalloc(unsigned int count, unsigned int size, void* companion) {
    return malloom_allocate_zeroed_near(count, size, companion);
}

#endif
