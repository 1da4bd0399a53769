// Other allocators, as the replay calls them. Their tables lie at the begin of the memory that they are
// given.
#pragma once

#include <stddef.h>
#include <stdint.h>

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
}

namespace malloom::bench::bins {

#if defined(MALLOOM_TLSF)
struct TlsfHeap {
    void* heap;
    static TlsfHeap open(void* memory, size_t bytes) { return {lv_tlsf_create_with_pool(memory, bytes)}; }
    void* allocate(size_t bytes) const { return lv_tlsf_malloc(heap, bytes); }
    void release(void* object) const { lv_tlsf_free(heap, object); }
};
#endif

#if defined(MALLOOM_O1HEAP)
struct O1Heap {
    O1HeapInstance* heap;
    static O1Heap open(void* memory, size_t bytes) { return {o1heapInit(memory, bytes)}; }
    void* allocate(size_t bytes) const { return o1heapAllocate(heap, bytes); }
    void release(void* object) const { o1heapFree(heap, object); }
};
#endif

}  // namespace malloom::bench::bins
