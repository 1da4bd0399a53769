// The pool heap, called directly: as by a compiler that knows the pool of each call.
#ifndef WORKLOADS_POOL_PAIRS_POOL_H
#define WORKLOADS_POOL_PAIRS_POOL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The pool of all that follows, for objects of so many bytes. Once, before anything else; 0 where there is
/// none.
int pool_open(size_t bytes);
/// NULL without memory.
void* pool_allocate(void);
/// Of an object of the pool, by any thread.
void pool_release(void* object);

#ifdef __cplusplus
}
#endif

#endif
