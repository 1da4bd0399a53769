#include "runtime/structures/growing_range.h"

#include "checks/check.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/system_calls.h"

namespace malloom::structures {

namespace {

// Whether this thread asks the system for some range, or is a handler that has interrupted it there.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool is_reaching = false;

}  // namespace

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
    const bool is_handler = is_reaching;
    is_reaching = true;
    __atomic_fetch_add(&reaching_, 1, __ATOMIC_ACQ_REL);
    const bool is_done = span_ != nullptr
                             ? span_->open_pages(base_ + had, wanted - had)
                             : platform::open_pages(reinterpret_cast<void*>(base_ + had), wanted - had);
    while (is_done && had < wanted &&
           !__atomic_compare_exchange_n(&usable_, &had, wanted, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    __atomic_fetch_sub(&reaching_, 1, __ATOMIC_ACQ_REL);
    is_reaching = is_handler;
    return is_done;
}

// They may have been put aside between the system's answer and what they tell, on a busy machine for long.
bool GrowingRange::have_others_reached(size_t had) const {
    constexpr unsigned most_rounds = 20000;
    for (unsigned round = 1; round <= most_rounds; ++round) {
        // Read first: who reaches leaves after what it has reached can be seen.
        const bool are_gone = __atomic_load_n(&reaching_, __ATOMIC_ACQUIRE) == 0;
        if (usable() != had) {
            return true;
        }
        // A signal handler would wait for the thread that it has interrupted.
        if (are_gone || is_reaching) {
            return false;
        }
        platform::wait_for_others(round);
    }
    return false;
}

bool GrowingRange::is_valid() const noexcept {
    const size_t now = usable();
    const size_t page = platform::page_bytes();
    return now <= bytes_ && base_ + bytes_ >= base_ && base_ % page == 0 && step_ % page == 0 &&
           (bytes_ == 0 || step_ != 0) && (now == bytes_ || now % step_ == 0);
}

// Where others got some of it, which may be less than is asked here, the rest is asked for.
bool GrowingRange::reach(size_t bytes) {
    for (size_t had = usable(); bytes > had; had = usable()) {
        MALLOOM_CHECK(is_valid());  // pages of others may lie beyond it
        if (bytes > bytes_) {
            return false;
        }
        const size_t stepped = platform::round_up(bytes, step_);
        if (!make_usable(had, stepped < bytes_ ? stepped : bytes_) && !have_others_reached(had)) {
            return false;
        }
    }
    return true;
}

}  // namespace malloom::structures
