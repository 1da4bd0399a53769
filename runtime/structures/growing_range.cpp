#include "runtime/structures/growing_range.h"

#include <sched.h>

#include "checks/check.h"
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

bool GrowingRange::open(platform::AddressSpan& span, size_t bytes, size_t alignment, size_t step) {
    const uintptr_t start = span.take(bytes, alignment);
    if (start == 0) {
        return false;
    }
    __atomic_store_n(&base_, start, __ATOMIC_RELAXED);
    span_ = &span;
    bytes_ = bytes;
    step_ = step;
    return true;
}

void GrowingRange::close() {
    if (span_ != nullptr) {
        span_->close_pages(base_, usable_);
        span_->give_back(base_, base_ + bytes_);
    } else {
        platform::unmap_pages(reinterpret_cast<void*>(base_), bytes_);
    }
    *this = GrowingRange();
}

// Who else reaches at the same time, which addresses of its own allow, asks the system for the same once
// more: that does no harm. In a span only one of them gets it.
bool GrowingRange::make_usable(size_t had, size_t wanted) {
    __atomic_fetch_add(&reaching_, 1, __ATOMIC_ACQ_REL);
    const bool is_done = span_ != nullptr
                             ? span_->open_pages(base_ + had, wanted - had)
                             : platform::open_pages(reinterpret_cast<void*>(base_ + had), wanted - had);
    while (is_done && had < wanted &&
           !__atomic_compare_exchange_n(&usable_, &had, wanted, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    const bool is_alone = __atomic_fetch_sub(&reaching_, 1, __ATOMIC_ACQ_REL) == 1;
    return is_done || wait_for_others(wanted, is_alone);
}

// For a moment only: it may be the thread that this signal handler has interrupted.
bool GrowingRange::wait_for_others(size_t wanted, bool is_alone) const {
    constexpr int most_rounds = 1000;
    for (int round = 0; !is_alone && usable() < wanted && round < most_rounds; ++round) {
        sched_yield();
    }
    return __atomic_load_n(&usable_, __ATOMIC_ACQUIRE) >= wanted;
}

bool GrowingRange::is_valid() const noexcept {
    const size_t now = usable();
    const size_t page = platform::page_bytes();
    return now <= bytes_ && base_ + bytes_ >= base_ && base_ % page == 0 && step_ % page == 0 &&
           (bytes_ == 0 || step_ != 0) && (now == bytes_ || now % step_ == 0);
}

bool GrowingRange::reach(size_t bytes) {
    const size_t had = usable();
    if (bytes <= had) {
        return true;
    }
    MALLOOM_CHECK(is_valid());  // pages of others may lie beyond it
    if (bytes > bytes_) {
        return false;
    }
    const size_t stepped = platform::round_up(bytes, step_);
    return make_usable(had, stepped < bytes_ ? stepped : bytes_);
}

}  // namespace malloom::structures
