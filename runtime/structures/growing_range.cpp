#include "runtime/structures/growing_range.h"

#include "runtime/platform/memory.h"

namespace malloom::structures {

bool GrowingRange::open(size_t bytes, size_t alignment, size_t step) {
    void* start = platform::reserve_addresses(bytes, alignment);
    if (start == nullptr) {
        return false;
    }
    base_ = reinterpret_cast<uintptr_t>(start);
    bytes_ = bytes;
    step_ = step;
    return true;
}

void GrowingRange::close() {
    platform::unmap_pages(reinterpret_cast<void*>(base_), bytes_);
    *this = GrowingRange();
}

bool GrowingRange::reach(size_t bytes) {
    if (bytes <= usable_) {
        return true;
    }
    if (bytes > bytes_) {
        return false;
    }
    const size_t stepped = platform::round_up(bytes, step_);
    const size_t wanted = stepped < bytes_ ? stepped : bytes_;
    if (!platform::open_pages(reinterpret_cast<void*>(base_ + usable_), wanted - usable_)) {
        return false;
    }
    __atomic_store_n(&usable_, wanted, __ATOMIC_RELEASE);
    return true;
}

}  // namespace malloom::structures
