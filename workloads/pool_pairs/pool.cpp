#include "workloads/pool_pairs/pool.h"

#include <stdlib.h>

#include "runtime/heaps/pool_heap.h"

using malloom::heaps::PoolHeap;

static PoolHeap heap;
static uint32_t family = PoolHeap::none;

int pool_open(size_t bytes) {
    family = heap.open() ? heap.add(bytes) : PoolHeap::none;
    return family != PoolHeap::none;
}

// What the heap does not claim, the first requests of further threads, is malloc's.
static void* allocate_otherwise() {
    void* object = PoolHeap::allocate(family);
    return object != nullptr ? object : malloc(PoolHeap::chunk_bytes(family));
}
static void release_otherwise(void* object) {
    if (PoolHeap::owns(object)) {
        PoolHeap::release_any(object);
    } else {
        free(object);
    }
}

void* pool_allocate() {
    void* object = PoolHeap::allocate_small(family);
    return object != nullptr ? object : allocate_otherwise();
}

void pool_release(void* object) {
    if (!PoolHeap::release_small(object)) {
        release_otherwise(object);
    }
}
