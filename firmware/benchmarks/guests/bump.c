/* The least that an allocator can be: a pointer that goes on, and an end that it does not pass. Nothing is
 * ever freed; zeros are what the memory has at first, and an object that grows is copied. */
#include <stdint.h>

#include "firmware/benchmarks/guests/guest_heap.h"

static uintptr_t next;
static uintptr_t end;

void guest_open(void* memory, size_t bytes) {
    next = (uintptr_t)memory;
    end = next + bytes;
}

void* guest_alloc(size_t bytes, size_t alignment) {
    (void)alignment;
    const uintptr_t object = next;
    const uintptr_t following = object + (bytes + sizeof(void*) - 1) / sizeof(void*) * sizeof(void*);
    if (following > end) return NULL;
    next = following;
    return (void*)object;
}

void* guest_alloc_zeroed(size_t bytes, size_t alignment) {
    return guest_alloc(bytes, alignment);
}

void guest_free(void* object, size_t bytes, size_t alignment) {
    (void)object;
    (void)bytes;
    (void)alignment;
}

void* guest_resize(void* object, size_t bytes, size_t alignment, size_t wanted) {
    uintptr_t* const another = guest_alloc(wanted, alignment);
    if (another == NULL) return NULL;
    const uintptr_t* from = object;
    uintptr_t* to = another;
    size_t words = ((wanted < bytes ? wanted : bytes) + sizeof(void*) - 1) / sizeof(void*);
    for (; words >= 4; words -= 4, to += 4, from += 4) {
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
        to[3] = from[3];
    }
    while (words-- != 0) *to++ = *from++;
    return another;
}
