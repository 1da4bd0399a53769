#include "runtime/structures/growing_range.h"

#include "runtime/platform/memory.h"

namespace malloom::structures {

bool GrowingRange::open(size_t bytes, size_t alignment, size_t step) {
    void* start = platform::reserve_addresses(bytes, alignment);
    if (start == nullptr) {
        return false;
    }
    __atomic_store_n(&base_, reinterpret_cast<uintptr_t>(start), __ATOMIC_RELAXED);
    bytes_ = bytes;
    step_ = step;
    return true;
}

void GrowingRange::close() {
    platform::unmap_pages(reinterpret_cast<void*>(base_), bytes_);
    *this = GrowingRange();
}

// Who else reaches at the same time asks the system for the same once more, which does no harm.
bool GrowingRange::reach(size_t bytes) {
    size_t had = usable();
    if (bytes <= had) {
        return true;
    }
    if (bytes > bytes_) {
        return false;
    }
    const size_t stepped = platform::round_up(bytes, step_);
    const size_t wanted = stepped < bytes_ ? stepped : bytes_;
    if (!platform::open_pages(reinterpret_cast<void*>(base_ + had), wanted - had)) {
        return false;
    }
    while (had < wanted &&
           !__atomic_compare_exchange_n(&usable_, &had, wanted, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    return true;
}

}  // namespace malloom::structures
