#include "runtime/heaps/split/split_pools.h"

#include "checks/check.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

namespace {

// Those of the heap, of which each may hold several.
uint32_t range_of_pools(const SplitShape& shape) {
    return shape.pool_bytes < smallest_range ? static_cast<uint32_t>(smallest_range) : shape.pool_bytes;
}

}  // namespace

uint32_t SplitPools::add(PoolHeap& heap, SplitShape shape) {
    if (shape.first_bytes == 0 || shape.first_bytes > shape.object_bytes ||
        shape.object_bytes > shape.pool_bytes || !platform::is_power_of_two(shape.pool_bytes)) {
        return PoolHeap::none;
    }
    const uint32_t range = range_of_pools(shape);
    const uint32_t client = heap.add_spread(range / shape.pool_bytes * shape.objects(), range);
    if (client != PoolHeap::none) {
        shapes_[client] = shape;
        objects_[client] = shape.objects();
    }
    return client;
}

void* SplitPools::object_in_small_pool(const SplitShape& shape, uintptr_t chunk) {
    const uintptr_t range = chunk & ~(smallest_range - 1);
    const uintptr_t index = (chunk - range) >> granule_shift;
    const uintptr_t pool = index / shape.objects();
    return reinterpret_cast<void*>(range + pool * shape.pool_bytes +
                                   index % shape.objects() * shape.first_bytes);
}

bool SplitPools::is_valid(const Pool& pool) const noexcept {
    const SplitShape& shape = shape_of(pool);
    const uint32_t objects = objects_[pool.client];
    const uint32_t range = range_of_pools(shape);
    return pool.is_spread && platform::is_power_of_two(shape.pool_bytes) && objects == shape.objects() &&
           uint64_t{objects} * shape.object_bytes <= shape.pool_bytes &&
           shape.first_bytes <= shape.object_bytes && range_bytes(pool.order) == range &&
           pool.capacity == range / shape.pool_bytes * objects;
}

/// With 32 bits, in which processors divide sooner; pools are no larger.
void* SplitPools::chunk_of(const Pool& pool, const void* object) const {
    MALLOOM_CHECK_FULL(is_valid(pool));
    const SplitShape& shape = shape_of(pool);
    const auto offset = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(object) - pool.start);
    const uint32_t in_pool = offset & (shape.pool_bytes - 1);
    const uint32_t index = in_pool / shape.first_bytes;
    const uint32_t objects = objects_[pool.client];
    const uint32_t before = offset != in_pool ? offset / shape.pool_bytes * objects : 0;
    const bool begins = in_pool == index * shape.first_bytes && index < objects;
    const uintptr_t chunk = pool.start + (uintptr_t{before + index} << granule_shift);
    return reinterpret_cast<void*>(chunk + (begins ? 0 : 1));
}

}  // namespace malloom::heaps
