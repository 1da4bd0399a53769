#include "runtime/heaps/pool_chunks.h"

#include <string.h>

#include "runtime/heaps/pool_family.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

// A magazine that is to hold more of its family than this part becomes larger.
constexpr uint32_t grown_at = 4;

// Threads that ask for a few objects of a family only are not worth a page each: where the family has several
// pools, another thread's first requests are left to the fallback.
constexpr uint32_t shared_at = 4;
constexpr uint32_t most_left = 32;

bool is_worth_a_pool(PoolShare& share, uint32_t family) {
    if (share.owned != nullptr || share.asked >= most_left ||
        __atomic_load_n(&pool_families[family].pools, __ATOMIC_RELAXED) < shared_at) {
        return true;
    }
    ++share.asked;
    return false;
}

// Whether the pool has a chunk that nobody has.
bool has_chunk(Pool& pool) {
    return pool.free != nullptr || PoolThread::take_foreign(pool) || pool.carved < pool.capacity();
}

Pool* make_pool(PoolThread& self, uint32_t family) {
    PoolFamily& common = pool_families[family];
    PoolShare& share = self.share(family);
    const uint32_t chunk_bytes = __atomic_load_n(&common.chunk_bytes, __ATOMIC_ACQUIRE);
    const unsigned least = first_order(chunk_bytes);
    // All that it had went back: the last was too large. cc1, where hundreds of families have one object at a
    // time, would otherwise give 1 MiB back and get it again for each.
    const unsigned next = share.owned == nullptr && share.order >= 2 ? share.order - 2U : share.order;
    const unsigned order = next < least ? least : next;
    const Locked locked(pool_arena.lock);
    Pool* pool = pool_arena.take(order, family, chunk_bytes);
    if (pool != nullptr) {
        __atomic_fetch_add(&common.pools, 1, __ATOMIC_RELAXED);
        share.order = static_cast<uint8_t>(order + 1 < pool_orders ? order + 1 : order);
        self.own(*pool);
    }
    return pool;
}

}  // namespace

void populate(Pool& pool, uintptr_t end) {
    const uintptr_t range = range_of(pool);
    const size_t step = range_bytes(pool.order) / Pool::parts;
    if (step > platform::page_bytes() && end - range > pool.populated * step) {
        platform::populate_pages(reinterpret_cast<void*>(range + pool.populated * step), step);
        __atomic_store_n(&pool.populated, static_cast<uint8_t>(pool.populated + 1), __ATOMIC_RELAXED);
        pool_arena.gather(pool);
    }
}

Pool* next_pool(PoolThread& self, uint32_t family) {
    self.take_noted();
    PoolShare& share = self.share(family);
    for (;;) {
        Pool* pool = share.available;
        if (pool == nullptr) {
            pool = adopt_any(self, family);
        }
        if (pool == nullptr) {
            pool = is_worth_a_pool(share, family) ? make_pool(self, family) : nullptr;
        }
        if (pool == nullptr || has_chunk(*pool)) {
            return pool;
        }
        self.set_aside(*pool);
    }
}

// A claim of the thread's shows at the top, or where slots are about to be written (is_clear, is_full).
OpenMagazine::OpenMagazine(PoolThread& self, uint32_t family)
    : self_(self),
      family_(family),
      share_(self.share(family)),
      found_(__atomic_exchange_n(&self.top(family), closed_top(), __ATOMIC_SEQ_CST)) {
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
    __atomic_store_n(&self_.top(family_), is_whole_ ? now : found_, __ATOMIC_SEQ_CST);
}

bool OpenMagazine::is_clear(uint32_t first, uint32_t end) const {
    uint64_t all = 0;
    for (uint32_t i = first; i < end; ++i) {
        all |= share_.slots[i];
    }
    return all == 0;
}

bool OpenMagazine::is_full(uint32_t end) const {
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
    const Locked locked(pool_arena.lock);
    MagazineSlot* larger = make_magazine(order);
    if (larger == nullptr) {
        return false;
    }
    if (share_.slots != nullptr) {
        memcpy(larger, share_.slots, count_ * sizeof(MagazineSlot));
        discard_magazine(share_.slots, share_.magazine_order);
    }
    share_.slots = larger;
    share_.magazine_order = static_cast<uint8_t>(order);
    share_.limit = magazine_capacity(order);
    return true;
}

void OpenMagazine::move_wall(uint32_t limit) {
    for (uint32_t i = 0; i < magazine_walls; ++i) {
        share_.slots[share_.limit + i] = 0;
    }
    share_.limit = limit;
    for (uint32_t i = 0; i < magazine_walls; ++i) {
        share_.slots[limit + i] = magazine_wall;
    }
}

// The upper wall stands where the last living chunk would go: that it is the last must be noticed.
void OpenMagazine::limit_to_living() {
    const uint32_t capacity = magazine_capacity(share_.magazine_order);
    const uint64_t living = share_.is_kept || share_.living > capacity ? capacity + 1 : share_.living;
    const auto wanted = static_cast<uint32_t>(living > count_ ? living - 1 : count_);
    if (wanted > share_.limit || (wanted < share_.limit && is_clear(wanted, share_.limit))) {
        move_wall(wanted);
    }
}

void* OpenMagazine::take() {
    if (count_ != 0) {
        return pop();
    }
    Pool* pool = next_pool(self_, family_);
    return pool != nullptr && (share_.slots != nullptr || grow()) ? refill(*pool) : nullptr;
}

// A page's worth at a time, and half of the slots at most: as many chunks may come before the magazine is
// full.
void* OpenMagazine::refill(Pool& pool) {
    if (share_.living > uint64_t{grown_at} * magazine_capacity(share_.magazine_order)) {
        grow();
    }
    move_wall(magazine_capacity(share_.magazine_order));
    const auto in_page = static_cast<uint32_t>(platform::page_bytes() / pool.chunk_bytes);
    uint32_t most = in_page < share_.limit / 2 ? in_page : share_.limit / 2;
    while (!is_clear(0, most)) {
        most /= 2;
    }
    most += most == 0;
    void* object = pool.free != nullptr ? take_freed(pool, most) : carve(pool, most);
    pool.living += count_ + 1;
    share_.living += count_ + 1;
    limit_to_living();
    return object;
}

// So many; the last one is the object, the others are pushed.
void* OpenMagazine::take_freed(Pool& pool, uint32_t most) {
    for (;;) {
        void* chunk = heaps::pop(pool);
        if (chunk == nullptr) {
            platform::abort_with("malloom: a free object was written to");
        }
        if (count_ + 1 == most || pool.free == nullptr) {
            return chunk;
        }
        push(chunk);
    }
}

// The next untouched chunks, so that the first comes first. What the range's last pool left in their first
// words goes.
void* OpenMagazine::carve(Pool& pool, uint32_t most) {
    const uint32_t left = pool.capacity() - pool.carved;
    const uint32_t count = most < left ? most : left;
    const uintptr_t first = pool.start + uint64_t{pool.carved} * pool.chunk_bytes;
    const uintptr_t end = first + uint64_t{count} * pool.chunk_bytes;
    populate(pool, end);
    pool.carved += count;
    count_ = count - 1;
    MagazineSlot* slot = share_.slots;
    for (uintptr_t chunk = end; (chunk -= pool.chunk_bytes) != first;) {
        *slot++ = chunk;
        reinterpret_cast<PoolChunk*>(chunk)->next = nullptr;
    }
    reinterpret_cast<PoolChunk*>(first)->next = nullptr;
    return reinterpret_cast<void*>(first);
}

bool OpenMagazine::put(void* object) {
    if (share_.slots == nullptr && !grow()) {
        return false;
    }
    if (count_ != 0 && share_.slots[count_ - 1] == reinterpret_cast<MagazineSlot>(object)) {
        platform::abort_with("malloom: an object was freed twice");
    }
    count_living();
    if (!share_.is_kept && count_ + 1 >= share_.living && !keeps_all()) {
        return true;
    }
    limit_to_living();
    if (count_ == share_.limit && !grow() && !return_half()) {
        return false;
    }
    push(object);
    limit_to_living();
    return true;
}

// Of NearHeap's families, whose pools alone know: it makes objects of chunks that were set apart for them.
void OpenMagazine::count_living() {
    if (pool_families[family_].is_for_runs) {
        share_.living = 0;
        for (const Pool* pool = share_.owned; pool != nullptr; pool = pool->owned_next) {
            share_.living += pool->living;
        }
    }
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
    for (uint32_t i = count; i-- > 0;) {
        return_chunk(reinterpret_cast<void*>(share_.slots[i]));
    }
    count_ -= count;
    memmove(share_.slots, share_.slots + count, count_ * sizeof(MagazineSlot));
    memset(share_.slots + count_, 0, count * sizeof(MagazineSlot));
}

void OpenMagazine::return_chunk(void* chunk) {
    Pool& pool = *pool_arena.find_covered(chunk);
    if (pool.state == PoolState::aside && !self_.bring_back(pool)) {
        PoolThread::release_foreign(pool, chunk);
        return;
    }
    heaps::push(pool, chunk);
    --share_.living;
    if (--pool.living == 0 && !share_.is_kept) {
        const Locked locked(pool_arena.lock);
        self_.give_back(pool);
    }
}

// Nothing lives but what is being freed. False where that went back with its pool.
bool OpenMagazine::keeps_all() {
    size_t bytes = 0;
    for (const Pool* pool = share_.owned; pool != nullptr; pool = pool->owned_next) {
        bytes += range_bytes(pool->order);
    }
    const Locked locked(pool_arena.lock);
    const bool keeps = bytes <= PoolThread::most_kept_bytes || !is_full(count_);
    if (!keeps) {
        empty();
        bytes = self_.give_back_all_but_one(family_);
    }
    self_.keep(family_, bytes);
    limit_to_living();
    return keeps;
}

void OpenMagazine::empty() {
    memset(share_.slots, 0, count_ * sizeof(MagazineSlot));
    count_ = 0;
}

void OpenMagazine::let_go() {
    if (!is_whole_ || share_.slots == nullptr) {
        return;
    }
    count_living();
    if (count_ < share_.living || !is_full(count_)) {
        limit_to_living();
        return;
    }
    empty();
    self_.give_back_all(family_);
    limit_to_living();
}

void OpenMagazine::close_for_good() {
    if (is_whole_ && is_full(count_)) {
        return_chunks(count_);
        const Locked locked(pool_arena.lock);
        forget();
    }
}

void OpenMagazine::forget() {
    if (is_whole_ && share_.slots != nullptr) {
        discard_magazine(share_.slots, share_.magazine_order);
        share_.slots = nullptr;
        share_.magazine_order = 0;
        share_.limit = 0;
        count_ = 0;
    }
}

}  // namespace malloom::heaps
