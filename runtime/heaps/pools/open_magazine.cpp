#include "runtime/heaps/pools/open_magazine.h"

#include <string.h>

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

// Pages of its pools that ever had chunks.
static size_t carved_bytes(const PoolShare& share) {
    size_t bytes = 0;
    for (const Pool* pool = share.owned; pool != nullptr; pool = pool->owned_next) {
        bytes += platform::round_up(size_t{pool->carved} * pool->chunk_bytes, platform::page_bytes());
    }
    return bytes;
}

// Magazines that are cached, by what they keep from going back. That of the last one is not known, as the
// thread is using it: where nothing lives it counts as all that its pools ever gave, else when another comes.

void PoolHeap::cache(PoolThread& self, uint32_t borrower) {
    PoolShare& share = self.share(borrower);
    if (share.cached_bytes == 0) {
        note_return(self, share);
    }
    uncache(self, borrower);
    const uint32_t before = self.cached_first;
    if (before != 0) {
        PoolShare& other = self.share(before);
        const size_t kept = bytes_kept_by(self, before);
        self.cached_bytes += kept + 1 - other.cached_bytes;
        other.cached_bytes = kept + 1;
    }
    share.cached_before = 0;
    share.cached_next = before;
    (before != 0 ? self.share(before).cached_before : self.cached_last) = borrower;
    self.cached_first = borrower;
    share.cached_bytes = share.is_kept ? carved_bytes(share) + 1 : 1;
    self.cached_bytes += share.cached_bytes;
}

// By a sample: how often does a chunk lie on another page than the one above it?
size_t PoolHeap::bytes_kept_by(PoolThread& self, uint32_t borrower) const {
    constexpr size_t samples = 16;
    const MagazineSlot* first = self.share(borrower).slots;
    const uint64_t top = __atomic_load_n(&self.top(borrower), __ATOMIC_RELAXED);
    if (first == nullptr || top == closed_top()) {
        return 0;
    }
    const size_t page = platform::page_bytes();
    const auto count = static_cast<size_t>(slot_at(top) - first);
    const size_t step = count / samples + 1;
    size_t changes = 0;
    for (size_t i = 0; i + 1 < count; i += step) {
        changes += first[i] / page != first[i + 1] / page;
    }
    const size_t scattered = changes * step * page;
    const size_t dense = count * chunk_bytes(borrower);
    return scattered > dense ? scattered : dense;
}

void PoolHeap::uncache(PoolThread& self, uint32_t borrower) {
    PoolShare& share = self.share(borrower);
    if (share.cached_bytes == 0) {
        return;
    }
    (share.cached_before != 0 ? self.share(share.cached_before).cached_next : self.cached_first) =
        share.cached_next;
    (share.cached_next != 0 ? self.share(share.cached_next).cached_before : self.cached_last) =
        share.cached_before;
    self.cached_bytes -= share.cached_bytes;
    share.cached_bytes = 0;
}

// Borrowers in turn, more than may be cached, would each be emptied before it comes again. One that comes
// back while at most four times as many were emptied as there is room for makes room for a page more.
void PoolHeap::note_return(PoolThread& self, PoolShare& share) {
    constexpr size_t most_extra = size_t{4} << 20;  // of all threads: a page each of 1,024 borrowers
    const size_t page = platform::page_bytes();
    const size_t room = arena_.reserve() + self.cached_extra;
    const bool is_soon = share.emptied_at != 0 && self.emptied_count - share.emptied_at <= 4 * room / page;
    share.emptied_at = 0;
    const uint32_t threads = __atomic_load_n(&threads_count_, __ATOMIC_RELAXED);
    if (is_soon && self.cached_extra + page <= most_extra / threads) {
        self.cached_extra += page;
    }
}

// The thread alone changes its list; a borrower that was destroyed may be in it without a magazine.
void PoolHeap::limit_cached(PoolThread& self, uint32_t but) {
    const size_t most = arena_.reserve() + self.cached_extra;
    while (self.cached_bytes > most && self.cached_last != but) {
        const uint32_t last = self.cached_last;
        OpenMagazine(*this, self, last).flush();
        if (self.share(last).slots != nullptr) {
            return;  // a handler's
        }
        uncache(self, last);
        self.share(last).emptied_at = ++self.emptied_count;
        self.cached_extra -= self.cached_extra / 2048;
    }
}

}  // namespace malloom::heaps
