/* What the replay of a recorded guest calls, which each allocator implements. Objects are asked for with a
 * pointer's alignment: what a guest asked for is not recorded.
 */
#ifndef MALLOOM_GUEST_HEAP_H
#define MALLOOM_GUEST_HEAP_H

#include <stddef.h>

/* Called once, before all others, with the memory for objects. */
void guest_open(void* memory, size_t bytes);
void* guest_alloc(size_t bytes, size_t alignment);
/* The same with zeros. The memory that the heap was opened with is zero at first. */
void* guest_alloc_zeroed(size_t bytes, size_t alignment);
/* The object has been asked for with these. */
void guest_free(void* object, size_t bytes, size_t alignment);
/* The object with other bytes, here or elsewhere; null where there is no room, and then it stays. */
void* guest_resize(void* object, size_t bytes, size_t alignment, size_t wanted);

#endif
