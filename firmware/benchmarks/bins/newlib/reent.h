/* What newlib's mallocr.c needs of newlib: a place for the error, more memory, and no lock, as all heaps are
 * measured. */
#ifndef MALLOOM_NEWLIB_REENT_H
#define MALLOOM_NEWLIB_REENT_H

#include <stddef.h>

struct _reent {
    int _errno;
};
void* _sbrk_r(struct _reent* reent, ptrdiff_t bytes);

static inline void __malloc_lock(struct _reent* reent) {
    (void)reent;
}
static inline void __malloc_unlock(struct _reent* reent) {
    (void)reent;
}

#endif
