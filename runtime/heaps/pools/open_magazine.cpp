#include "runtime/heaps/pools/open_magazine.h"

#include <string.h>

#include <utility>

#include "checks/check.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

// A magazine that is to hold more of its client than this part becomes larger.
constexpr uint32_t grown_at = 4;

// Chunks of one pool are returned at once where they stand together. These are sorted by the 256 smallest
// ranges that follow on each other (American flag sort), unless most of them stand so already, or they are
// too few to pay for going over all of these ranges.
void gather_by_pools(MagazineSlot* slots, uint32_t count) {
    constexpr uint32_t buckets = 256;
    const auto bucket_of = [](MagazineSlot chunk) { return (chunk >> pool_unit_shift) % buckets; };
    uint32_t runs = 0;
    for (uint32_t i = 1; i < count; ++i) {
        runs += (slots[i] ^ slots[i - 1]) >> pool_unit_shift != 0;
    }
    if (count < buckets || 4 * runs < count) {
        return;
    }
    uint16_t ends[buckets] = {};
    for (uint32_t i = 0; i < count; ++i) {
        ++ends[bucket_of(slots[i])];
    }
    uint16_t nexts[buckets];
    for (uint32_t bucket = 0, end = 0; bucket < buckets; ++bucket) {
        nexts[bucket] = static_cast<uint16_t>(end);
        end += ends[bucket];
        ends[bucket] = static_cast<uint16_t>(end);
    }
    for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
        while (nexts[bucket] != ends[bucket]) {
            MagazineSlot chunk = slots[nexts[bucket]];
            for (auto right = bucket_of(chunk); right != bucket; right = bucket_of(chunk)) {
                std::swap(chunk, slots[nexts[right]++]);
            }
            slots[nexts[bucket]++] = chunk;
        }
    }
}

}  // namespace

// A claim of the thread's shows at the top, or where slots are about to be written (is_clear, is_full).
OpenMagazine::OpenMagazine(PoolHeap& heap, PoolThread& self, uint32_t client)
    : heap_(heap),
      self_(self),
      client_(client),
      local_(self.local(client)),
      found_(__atomic_exchange_n(&self.top(client), closed_top(), __ATOMIC_SEQ_CST)) {
    const uint64_t first = local_.slots != nullptr ? reinterpret_cast<uint64_t>(local_.slots) : closed_top();
    const uint64_t count = (found_ - first) / sizeof(MagazineSlot);
    if (found_ < first || count > local_.limit) {
        return;
    }
    count_ = static_cast<uint32_t>(count);
    is_whole_ = local_.slots == nullptr || ((count_ == 0 || local_.slots[count_ - 1] != 0) &&
                                            (count_ == local_.limit || local_.slots[count_] == 0));
}

OpenMagazine::~OpenMagazine() {
    const uint64_t now =
        local_.slots != nullptr ? reinterpret_cast<uint64_t>(local_.slots + count_) : closed_top();
    __atomic_store_n(&self_.top(client_), is_whole_ ? now : found_, __ATOMIC_SEQ_CST);
}

bool OpenMagazine::is_clear(uint32_t first, uint32_t end) const {
    if (local_.slots == nullptr) {
        return true;
    }
    uint64_t all = 0;
    for (uint32_t i = first; i < end; ++i) {
        all |= local_.slots[i];
    }
    return all == 0;
}

bool OpenMagazine::is_full(uint32_t end) const {
    if (local_.slots == nullptr) {
        return end == 0;
    }
    bool all = true;
    for (uint32_t i = 0; i < end; ++i) {
        all &= local_.slots[i] != 0;
    }
    return all;
}

// What is in the slots moves along.
bool OpenMagazine::grow() {
    const unsigned order = local_.slots == nullptr ? 0 : local_.magazine_order + 1U;
    if (order == magazine_orders || !is_full(count_) || !is_clear(count_, local_.limit)) {
        return false;
    }
    const Locked locked(heap_.arena_.lock);
    MagazineSlot* larger = heap_.magazines_.make(order);
    if (larger == nullptr) {
        return false;
    }
    if (local_.slots != nullptr) {
        memcpy(larger, local_.slots, count_ * sizeof(MagazineSlot));
        heap_.magazines_.discard(local_.slots, local_.magazine_order);
    }
    local_.slots = larger;
    local_.magazine_order = static_cast<uint8_t>(order);
    local_.limit = magazine_capacity(order);
    heap_.cache(self_, client_);
    MALLOOM_CHECK_FULL(is_valid());
    return true;
}

void OpenMagazine::move_sentinel(uint32_t limit) {
    for (uint32_t i = 0; i < magazine_sentinels; ++i) {
        local_.slots[local_.limit + i] = 0;
    }
    local_.limit = limit;
    for (uint32_t i = 0; i < magazine_sentinels; ++i) {
        local_.slots[limit + i] = magazine_sentinel;
    }
}

// The upper sentinel stands where the last living chunk would go: that it is the last must be noticed.
void OpenMagazine::limit_to_living() {
    const uint32_t capacity = magazine_capacity(local_.magazine_order);
    const uint64_t living =
        local_.is_kept || local_.living > capacity ? capacity + uint64_t{1} : local_.living;
    const auto wanted = static_cast<uint32_t>(living > count_ ? living - 1 : count_);
    if (wanted > local_.limit || (wanted < local_.limit && is_clear(wanted, local_.limit))) {
        move_sentinel(wanted);
    }
}

void* OpenMagazine::take() {
    if (count_ != 0) {
        return pop();
    }
    Pool* pool = heap_.next_pool(self_, client_);
    return pool != nullptr && (local_.slots != nullptr || grow()) ? refill(*pool) : nullptr;
}

// A page's worth at a time, and half of the slots at most: as many chunks may come before the magazine is
// full.
void* OpenMagazine::refill(Pool& pool) {
    if (local_.living > uint64_t{grown_at} * magazine_capacity(local_.magazine_order)) {
        grow();
    }
    move_sentinel(magazine_capacity(local_.magazine_order));
    const auto in_page = static_cast<uint32_t>(platform::page_bytes() / pool.chunk_bytes);
    uint32_t most = in_page < local_.limit / 2 ? in_page : local_.limit / 2;
    while (!is_clear(0, most)) {
        most /= 2;
    }
    most += most == 0;
    {
        const Locked locked(pool.lock);
        MALLOOM_CHECK_FULL(pool.freed() == 0 || heap_.arena_.is_valid(pool));
        MALLOOM_CHECK_FULL(pool.reserved <= pool.out);
        const uint32_t available = pool.freed() != 0 ? pool.freed() : pool.capacity - pool.carved;
        most = most < available ? most : available;
        count_ = heap_.arena_.take_chunks(pool, most, local_.slots + most - 1);
    }
    local_.living += count_;
    void* object = pop();
    limit_to_living();
    return object;
}

bool OpenMagazine::put(void* object) {
    if (local_.slots == nullptr && !grow()) {
        return false;
    }
    heap_.look_at_given(self_, client_);
    if (!local_.is_kept && count_ + 1 >= local_.living && !keeps_all()) {
        return true;
    }
    limit_to_living();
    if (count_ == local_.limit && !grow() && !return_half()) {
        return false;
    }
    local_.slots[count_++] = reinterpret_cast<MagazineSlot>(object);
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
    gather_by_pools(local_.slots, count);
    for (uint32_t i = 0; i < count;) {
        Pool& pool = *heap_.arena_.pool_of(reinterpret_cast<void*>(local_.slots[i]));
        uint32_t returned = 0;
        {
            const Locked locked(pool.lock);
            returned = heap_.arena_.put_chunks(pool, local_.slots + i, count - i);
        }
        i += returned;
        local_.living -= returned;
        heap_.arena_.count_out(pool, -int64_t{returned});
        heap_.look_after(self_, pool);
    }
    count_ -= count;
    memmove(local_.slots, local_.slots + count, count_ * sizeof(MagazineSlot));
    memset(local_.slots + count_, 0, count * sizeof(MagazineSlot));
    heap_.arena_.trim();
}

// Nothing of the client lives but what is being freed. False where that went back with the pools. What stays
// is for what comes next, until the thread uses others (PoolHeap::limit_cached); few chunks of large pools
// would keep a page each.
bool OpenMagazine::keeps_all() {
    const bool is_dense = 2 * uint64_t{count_ + 1} * heap_.chunk_bytes(client_) >= local_.owned_bytes;
    const bool keeps = local_.owned_bytes <= small_pools_bytes || is_dense || !is_full(count_);
    if (!keeps) {
        empty();
        heap_.give_back_all(self_, client_);
    }
    local_.is_kept = keeps;
    limit_to_living();
    heap_.cache(self_, client_);
    heap_.limit_cached(self_, client_);
    return keeps;
}

void OpenMagazine::empty() {
    memset(local_.slots, 0, count_ * sizeof(MagazineSlot));
    count_ = 0;
}

bool OpenMagazine::flush() {
    if (!is_whole_ || !is_full(count_) || !is_clear(count_, local_.limit)) {
        return false;
    }
    if (local_.slots == nullptr) {
        return true;
    }
    local_.is_kept = false;
    return_chunks(count_);
    {
        const Locked locked(heap_.arena_.lock);
        forget();
    }
    return true;
}

void OpenMagazine::forget() {
    if (is_whole_ && local_.slots != nullptr) {
        heap_.magazines_.discard(local_.slots, local_.magazine_order);
        local_.slots = nullptr;
        local_.magazine_order = 0;
        local_.limit = 0;
        local_.is_kept = false;
        count_ = 0;
    }
}

}  // namespace malloom::heaps
