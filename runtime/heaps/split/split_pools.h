// Pools of split objects (Curial et al.: MPADS, section 2.3.1): the fields of a pool's objects lie in arrays,
// one after the other, and an object's address is its element of the first array. Where the other arrays
// begin, compiled code knows; here only the first one counts.
#pragma once

#include "runtime/heaps/pools/pool_heap.h"

namespace malloom::heaps {

/// How objects of a client lie: as many of `object_bytes` as a pool of `pool_bytes` has room for, their
/// addresses `first_bytes` apart, from where the pool begins.
struct SplitShape {
    uint32_t first_bytes;   ///< an element of the first field's array
    uint32_t object_bytes;  ///< of all fields, with what the compiler leaves between their arrays
    uint32_t pool_bytes;    ///< a power of two, and the pool begins at a multiple of it

    /// Of a pool. Each is known by a chunk of its heap's, which has room for so many.
    uint32_t objects() const {
        return pool_bytes / (object_bytes < granule_bytes ? granule_bytes : object_bytes);
    }
    bool operator==(const SplitShape&) const = default;
};

/// Objects of a pool heap's clients whose pools are spread (PoolHeap::add_spread). Pools may be smaller
/// than those of the heap: each of these then holds several. All zero has no client. Thread-safe but for
/// add.
class SplitPools {
  public:
    /// A new client; PoolHeap::none where the shape cannot be.
    uint32_t add(PoolHeap& heap, SplitShape shape);

    /// The address of the object that a chunk stands for.
    [[gnu::always_inline]] static void* object_of(const SplitShape& shape, void* chunk) {
        const auto address = reinterpret_cast<uintptr_t>(chunk);
        if (shape.pool_bytes < smallest_range) [[unlikely]] {
            return object_in_small_pool(shape, address);
        }
        const uintptr_t pool = address & ~uintptr_t{shape.pool_bytes - 1};
        return reinterpret_cast<void*>(pool + ((address - pool) >> granule_shift) * shape.first_bytes);
    }
    /// The chunk that stands for an object; an address where no chunk begins for one that no object begins
    /// at.
    void* chunk_of(const Pool& pool, const void* object) const;
    /// Of a pool's client; one without bytes where the pool is not of split objects.
    const SplitShape& shape_of(const Pool& pool) const { return shapes_[pool.client]; }

  private:
    /// Whether all objects of the pool's shape have their place in it, and the heap has a chunk for each of
    /// them. A few comparisons. Thread-safe.
    bool is_valid(const Pool& pool) const noexcept;
    static void* object_in_small_pool(const SplitShape& shape, uintptr_t chunk);

    SplitShape shapes_[most_clients];
    uint32_t objects_[most_clients];  ///< of a pool
};

}  // namespace malloom::heaps
