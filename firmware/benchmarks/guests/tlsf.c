/* Conte's TLSF, as LVGL has it (setup/tlsf.sh). Zeros are its caller's work. */
#include <stdint.h>

#include "firmware/benchmarks/guests/guest_heap.h"

void* lv_tlsf_create_with_pool(void* memory, size_t bytes);
void* lv_tlsf_malloc(void* tlsf, size_t bytes);
size_t lv_tlsf_free(void* tlsf, const void* object);
void* lv_tlsf_realloc(void* tlsf, void* object, size_t bytes);

static void* heap;

/* What LVGL calls in the place of a C library: here bytes are copied as words where both lie so. */
void* lv_memcpy(void* to, const void* from, size_t bytes) {
    uint8_t* target = to;
    const uint8_t* source = from;
    if (((uintptr_t)target | (uintptr_t)source) % sizeof(uintptr_t) == 0) {
        for (; bytes >= sizeof(uintptr_t); bytes -= sizeof(uintptr_t)) {
            *(uintptr_t*)target = *(const uintptr_t*)source;
            target += sizeof(uintptr_t);
            source += sizeof(uintptr_t);
        }
    }
    while (bytes-- != 0) *target++ = *source++;
    return to;
}

#if __riscv_xlen == 64
/* Which a C library would have, and the compiler's own library has for words of 32 bits alone. */
int ffs(int bits);
int ffs(int bits) {
    return bits == 0 ? 0 : __builtin_ctz((unsigned)bits) + 1;
}
#endif

void guest_open(void* memory, size_t bytes) {
    heap = lv_tlsf_create_with_pool(memory, bytes);
}

void* guest_alloc(size_t bytes, size_t alignment) {
    (void)alignment;
    return lv_tlsf_malloc(heap, bytes);
}

void* guest_alloc_zeroed(size_t bytes, size_t alignment) {
    uintptr_t* const object = guest_alloc(bytes, alignment);
    if (object == NULL) return NULL;
    for (size_t at = 0; at < (bytes + sizeof(uintptr_t) - 1) / sizeof(uintptr_t); ++at) object[at] = 0;
    return object;
}

void guest_free(void* object, size_t bytes, size_t alignment) {
    (void)bytes;
    (void)alignment;
    lv_tlsf_free(heap, object);
}

void* guest_resize(void* object, size_t bytes, size_t alignment, size_t wanted) {
    (void)bytes;
    (void)alignment;
    return lv_tlsf_realloc(heap, object, wanted);
}
