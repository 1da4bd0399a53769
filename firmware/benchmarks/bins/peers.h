// Other allocators, as the replay calls them. The tables of those that have instances lie at the begin of the
// memory that they are given; those of libraries have variables, `table_bytes` of them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/benchmarks/bins/growing_memory.h"

extern "C" {
#if defined(MALLOOM_TLSF)
void* lv_tlsf_create_with_pool(void* memory, size_t bytes);
void* lv_tlsf_malloc(void* tlsf, size_t bytes);
size_t lv_tlsf_free(void* tlsf, const void* object);
size_t lv_tlsf_size(void);
#endif
#if defined(MALLOOM_O1HEAP)
struct O1HeapInstance;
O1HeapInstance* o1heapInit(void* memory, size_t bytes);
void* o1heapAllocate(O1HeapInstance* heap, size_t bytes);
void o1heapFree(O1HeapInstance* heap, void* object);
#endif
#if defined(MALLOOM_NEWLIB)
struct _reent {
    int _errno;
};
void* _malloc_r(struct _reent* reent, size_t bytes);
void _free_r(struct _reent* reent, void* object);
#endif
#if defined(MALLOOM_PICOLIBC)
void* picolibc_malloc(size_t bytes);
void picolibc_free(void* object);
#endif
}

namespace malloom::bench::bins {

#if defined(MALLOOM_TLSF)
struct TlsfHeap {
    static constexpr size_t table_bytes = 0;
    void* heap;
    static TlsfHeap open(void* memory, size_t bytes) { return {lv_tlsf_create_with_pool(memory, bytes)}; }
    void* allocate(size_t bytes) const { return lv_tlsf_malloc(heap, bytes); }
    void release(void* object) const { lv_tlsf_free(heap, object); }
};
#endif

#if defined(MALLOOM_O1HEAP)
struct O1Heap {
    static constexpr size_t table_bytes = 0;
    O1HeapInstance* heap;
    static O1Heap open(void* memory, size_t bytes) { return {o1heapInit(memory, bytes)}; }
    void* allocate(size_t bytes) const { return o1heapAllocate(heap, bytes); }
    void release(void* object) const { o1heapFree(heap, object); }
};
#endif

#if defined(MALLOOM_NEWLIB)
/// newlib's, which is dlmalloc 2.6.
struct NewlibHeap {
    static constexpr size_t table_bytes =
        (2 * 128 + 2 + 5) * sizeof(void*);  ///< __malloc_av_, and five words
    _reent* heap;
    static NewlibHeap open(void* memory, size_t bytes) {
        static _reent reent;
        give_growing_memory(memory, bytes);
        return {&reent};
    }
    void* allocate(size_t bytes) const { return _malloc_r(heap, bytes); }
    void release(void* object) const { _free_r(heap, object); }
};
#endif

#if defined(MALLOOM_PICOLIBC)
/// picolibc's: one list of free chunks by address, first fit.
struct PicolibcHeap {
    static constexpr size_t table_bytes = 3 * sizeof(void*);
    void* heap;
    static PicolibcHeap open(void* memory, size_t bytes) {
        give_growing_memory(memory, bytes);
        return {memory};
    }
    void* allocate(size_t bytes) const { return picolibc_malloc(bytes); }
    void release(void* object) const { picolibc_free(object); }
};
#endif

}  // namespace malloom::bench::bins
