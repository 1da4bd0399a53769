/* The allocator that `malloom plan --for bins --language c` has written, which is included before this as
 * `heap` with all its calls inline: a source of these two is made for each guest. */
#ifndef MALLOOM_GUEST_EXACT_BINS_H
#define MALLOOM_GUEST_EXACT_BINS_H

#include "firmware/benchmarks/guests/guest_heap.h"

void guest_open(void* memory, size_t bytes) {
    heap_open(memory, bytes);
}

void* guest_alloc(size_t bytes, size_t alignment) {
    (void)alignment;
    return heap_alloc(bytes);
}

void* guest_alloc_zeroed(size_t bytes, size_t alignment) {
    (void)alignment;
    return heap_calloc(1, bytes);
}

void guest_free(void* object, size_t bytes, size_t alignment) {
    (void)bytes;
    (void)alignment;
    heap_free(object);
}

void* guest_resize(void* object, size_t bytes, size_t alignment, size_t wanted) {
    (void)bytes;
    (void)alignment;
    return heap_realloc(object, wanted);
}

#endif
