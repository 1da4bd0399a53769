// Objects for signal handlers that interrupted their thread within mimalloc, where neither that nor the C
// library can serve them: the handler may itself have been interrupted within the latter.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::heaps {

/// Serves from an area of its own, in order, and begins it anew when all objects are given back: what
/// handlers ask for lives shortly. One static object, all zero. For all threads and handlers; takes no lock.
class InterruptedObjects {
  public:
    /// Null where the area has no room. `alignment` is a power of two, or 0.
    void* allocate(size_t bytes, size_t alignment);
    void deallocate(void* object);

    [[gnu::always_inline]] bool owns(const void* object) const {
        return reinterpret_cast<uintptr_t>(object) - reinterpret_cast<uintptr_t>(area_) < sizeof area_;
    }
    /// Of an object of its own.
    size_t usable_size(const void* object) const;

  private:
    static constexpr size_t granule = 16;
    static constexpr size_t area_bytes = size_t{64} << 10;

    // Both change at once, so that no object is begun while the area begins anew.
    struct alignas(uint64_t) State {
        uint32_t objects;
        uint32_t used;  ///< bytes
    };

    bool replace(State& seen, State wanted);

    State state_ = {};
    alignas(granule) char area_[area_bytes] = {};
};

extern InterruptedObjects interrupted_objects;

}  // namespace malloom::heaps
