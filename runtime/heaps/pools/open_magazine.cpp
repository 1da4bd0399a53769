#include "runtime/heaps/pools/open_magazine.h"

#include <string.h>

#include "checks/check.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

// A magazine that is to hold more of its borrower than this part becomes larger.
constexpr uint32_t grown_at = 4;

}  // namespace

// A claim of the thread's shows at the top, or where slots are about to be written (is_clear, is_full).
OpenMagazine::OpenMagazine(PoolHeap& heap, PoolThread& self, uint32_t borrower)
    : heap_(heap),
      self_(self),
      borrower_(borrower),
      share_(self.share(borrower)),
      found_(__atomic_exchange_n(&self.top(borrower), closed_top(), __ATOMIC_SEQ_CST)) {
    const uint64_t first = share_.slots != nullptr ? reinterpret_cast<uint64_t>(share_.slots) : closed_top();
    const uint64_t count = (found_ - first) / sizeof(MagazineSlot);
    if (found_ < first || count > share_.limit) {
        return;
    }
    count_ = static_cast<uint32_t>(count);
    is_whole_ = share_.slots == nullptr || ((count_ == 0 || share_.slots[count_ - 1] != 0) &&
                                            (count_ == share_.limit || share_.slots[count_] == 0));
}

OpenMagazine::~OpenMagazine() {
    const uint64_t now =
        share_.slots != nullptr ? reinterpret_cast<uint64_t>(share_.slots + count_) : closed_top();
    __atomic_store_n(&self_.top(borrower_), is_whole_ ? now : found_, __ATOMIC_SEQ_CST);
}

bool OpenMagazine::is_clear(uint32_t first, uint32_t end) const {
    if (share_.slots == nullptr) {
        return true;
    }
    uint64_t all = 0;
    for (uint32_t i = first; i < end; ++i) {
        all |= share_.slots[i];
    }
    return all == 0;
}

bool OpenMagazine::is_full(uint32_t end) const {
    if (share_.slots == nullptr) {
        return end == 0;
    }
    bool all = true;
    for (uint32_t i = 0; i < end; ++i) {
        all &= share_.slots[i] != 0;
    }
    return all;
}

// What is in the slots moves along.
bool OpenMagazine::grow() {
    const unsigned order = share_.slots == nullptr ? 0 : share_.magazine_order + 1U;
    if (order == magazine_orders || !is_full(count_) || !is_clear(count_, share_.limit)) {
        return false;
    }
    const Locked locked(heap_.arena_.lock);
    MagazineSlot* larger = heap_.magazines_.make(order);
    if (larger == nullptr) {
        return false;
    }
    if (share_.slots != nullptr) {
        memcpy(larger, share_.slots, count_ * sizeof(MagazineSlot));
        heap_.magazines_.discard(share_.slots, share_.magazine_order);
    }
    share_.slots = larger;
    share_.magazine_order = static_cast<uint8_t>(order);
    share_.limit = magazine_capacity(order);
    heap_.cache(self_, borrower_);
    MALLOOM_CHECK_FULL(is_valid());
    return true;
}

void OpenMagazine::move_sentinel(uint32_t limit) {
    for (uint32_t i = 0; i < magazine_sentinels; ++i) {
        share_.slots[share_.limit + i] = 0;
    }
    share_.limit = limit;
    for (uint32_t i = 0; i < magazine_sentinels; ++i) {
        share_.slots[limit + i] = magazine_sentinel;
    }
}

// The upper sentinel stands where the last living chunk would go: that it is the last must be noticed.
void OpenMagazine::limit_to_living() {
    const uint32_t capacity = magazine_capacity(share_.magazine_order);
    const uint64_t living =
        share_.is_kept || share_.living > capacity ? capacity + uint64_t{1} : share_.living;
    const auto wanted = static_cast<uint32_t>(living > count_ ? living - 1 : count_);
    if (wanted > share_.limit || (wanted < share_.limit && is_clear(wanted, share_.limit))) {
        move_sentinel(wanted);
    }
}

void* OpenMagazine::take() {
    if (count_ != 0) {
        return pop();
    }
    Pool* pool = heap_.next_pool(self_, borrower_);
    return pool != nullptr && (share_.slots != nullptr || grow()) ? refill(*pool) : nullptr;
}

// A page's worth at a time, and half of the slots at most: as many chunks may come before the magazine is
// full.
void* OpenMagazine::refill(Pool& pool) {
    if (share_.living > uint64_t{grown_at} * magazine_capacity(share_.magazine_order)) {
        grow();
    }
    move_sentinel(magazine_capacity(share_.magazine_order));
    const auto in_page = static_cast<uint32_t>(platform::page_bytes() / pool.chunk_bytes);
    uint32_t most = in_page < share_.limit / 2 ? in_page : share_.limit / 2;
    while (!is_clear(0, most)) {
        most /= 2;
    }
    most += most == 0;
    {
        const Locked locked(pool.lock);
        MALLOOM_CHECK_FULL(pool.freed() == 0 || heap_.arena_.is_valid(pool));
        MALLOOM_CHECK_FULL(pool.apart <= pool.out);
        const uint32_t available = pool.freed() != 0 ? pool.freed() : pool.capacity - pool.carved;
        most = most < available ? most : available;
        count_ = heap_.arena_.take_chunks(pool, most, share_.slots + most - 1);
    }
    share_.living += count_;
    void* object = pop();
    limit_to_living();
    return object;
}

bool OpenMagazine::put(void* object) {
    if (share_.slots == nullptr && !grow()) {
        return false;
    }
    heap_.look_at_given(self_, borrower_);
    if (!share_.is_kept && count_ + 1 >= share_.living && !keeps_all()) {
        return true;
    }
    limit_to_living();
    if (count_ == share_.limit && !grow() && !return_half()) {
        return false;
    }
    share_.slots[count_++] = reinterpret_cast<MagazineSlot>(object);
    limit_to_living();
    return true;
}

// The half that came first; from the top down, so that they come back as they would have.
bool OpenMagazine::return_half() {
    if (!is_full(count_)) {
        return false;
    }
    return_chunks((count_ + 1) / 2);
    limit_to_living();
    return true;
}

void OpenMagazine::return_chunks(uint32_t count) {
    MALLOOM_CHECK_FULL(is_valid());
    for (uint32_t i = 0; i < count;) {
        Pool& pool = *heap_.arena_.pool_of(reinterpret_cast<void*>(share_.slots[i]));
        const uint32_t first = i;
        {
            const Locked locked(pool.lock);
            do {
                void* chunk = reinterpret_cast<void*>(share_.slots[i]);
                __atomic_store_n(heap_.arena_.state_of(chunk), ChunkState::in_pool, __ATOMIC_RELAXED);
                heap_.arena_.put_chunk(pool, chunk);
                ++i;
            } while (i < count && heap_.arena_.pool_of(reinterpret_cast<void*>(share_.slots[i])) == &pool);
        }
        share_.living -= i - first;
        heap_.arena_.count_out(pool, -int64_t{i - first});
        heap_.look_after(self_, pool);
    }
    count_ -= count;
    memmove(share_.slots, share_.slots + count, count_ * sizeof(MagazineSlot));
    memset(share_.slots + count_, 0, count * sizeof(MagazineSlot));
    heap_.arena_.trim();
}

// Nothing of the share lives but what is being freed. False where that went back with the pools. What stays
// is for what comes next, until the thread uses others (PoolHeap::limit_cached); few chunks of large pools
// would keep a page each.
bool OpenMagazine::keeps_all() {
    const bool is_dense = 2 * uint64_t{count_ + 1} * heap_.chunk_bytes(borrower_) >= share_.owned_bytes;
    const bool keeps = share_.owned_bytes <= small_pools_bytes || is_dense || !is_full(count_);
    if (!keeps) {
        empty();
        heap_.give_back_all(self_, borrower_);
    }
    share_.is_kept = keeps;
    limit_to_living();
    heap_.cache(self_, borrower_);
    heap_.limit_cached(self_, borrower_);
    return keeps;
}

void OpenMagazine::empty() {
    memset(share_.slots, 0, count_ * sizeof(MagazineSlot));
    count_ = 0;
}

void OpenMagazine::flush() {
    if (!is_whole_ || share_.slots == nullptr || !is_full(count_)) {
        return;
    }
    share_.is_kept = false;
    return_chunks(count_);
    {
        const Locked locked(heap_.arena_.lock);
        forget();
    }
}

void OpenMagazine::forget() {
    if (is_whole_ && share_.slots != nullptr) {
        heap_.magazines_.discard(share_.slots, share_.magazine_order);
        share_.slots = nullptr;
        share_.magazine_order = 0;
        share_.limit = 0;
        share_.is_kept = false;
        count_ = 0;
    }
}

}  // namespace malloom::heaps
