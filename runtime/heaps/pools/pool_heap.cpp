#include "runtime/heaps/pools/pool_heap.h"

#include "runtime/heaps/pools/open_magazine.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/undisturbed.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

// The smallest pool of a borrower has room for a few chunks.
constexpr uint32_t least_chunks = 4;

unsigned first_order(size_t chunk_bytes) {
    unsigned order = 0;
    while (range_bytes(order) < least_chunks * chunk_bytes) {
        ++order;
    }
    return order;
}

}  // namespace

bool PoolHeap::open(size_t most_bytes) {
    if (!arena_.open(most_bytes)) {
        return false;
    }
    if (tables_ == nullptr) {
        tables_ = static_cast<Tables*>(platform::map_pages(sizeof(Tables)));
        if (tables_ != nullptr) {
            add_small_commons();
        }
    }
    return tables_ != nullptr;
}

// Nobody else is there yet: no lock, and no signal to keep out, which would be two system calls for each.
void PoolHeap::add_small_commons() {
    for (size_t bytes = granule_bytes; bytes <= most_small; bytes += granule_bytes) {
        tables_->borrowers[borrowers_count_++].chunk_bytes = static_cast<uint32_t>(chunk_for(bytes));
    }
}

void PoolHeap::close() {
    while (all_threads_ != nullptr) {
        PoolThread* table = all_threads_;
        all_threads_ = table->next_table;
        platform::unmap_pages(table, PoolThread::table_bytes());
    }
    arena_.close();
    magazines_.close();
    if (tables_ != nullptr) {
        platform::unmap_pages(tables_, sizeof(Tables));
    }
    tables_ = nullptr;
    stand_ins_[0] = stand_ins_[1] = nullptr;
    idle_threads_ = nullptr;
    threads_count_ = 0;
    borrowers_count_ = 1;
    unused_borrower_ = 0;
    deferred_ = nullptr;
}

uint32_t PoolHeap::add(size_t bytes) {
    return bytes <= largest_chunk ? add_borrower(chunk_for(bytes), 0) : none;
}

uint32_t PoolHeap::add_aligned(size_t bytes, size_t pool_bytes) {
    const size_t chunk = platform::round_up(bytes + (bytes == 0), granule_bytes);
    if (!platform::is_power_of_two(pool_bytes) || pool_bytes < smallest_range || pool_bytes > largest_range ||
        pool_bytes < platform::page_bytes() || bytes > largest_chunk || chunk > pool_bytes) {
        return none;
    }
    const auto order = static_cast<unsigned>(__builtin_ctzll(pool_bytes / smallest_range));
    return add_borrower(chunk, static_cast<uint8_t>(order + 1));
}

uint32_t PoolHeap::add_borrower(size_t chunk_bytes, uint8_t pool_order) {
    if (tables_ == nullptr) {
        return none;
    }
    // A signal handler would wait for this thread's lock.
    const platform::Undisturbed undisturbed;
    const Locked locked(arena_.lock);
    const uint32_t number = take_number();
    if (number != none) {
        Borrower& borrower = tables_->borrowers[number];
        borrower.pool_order = pool_order;
        __atomic_store_n(&borrower.chunk_bytes, static_cast<uint32_t>(chunk_bytes), __ATOMIC_RELEASE);
    }
    return number;
}

uint32_t PoolHeap::take_number() {
    const uint32_t number = unused_borrower_;
    if (number != none) {
        unused_borrower_ = tables_->borrowers[number].next_unused;
        return number;
    }
    if (borrowers_count_ == most_borrowers) {
        return none;
    }
    for (PoolThread* table = all_threads_; table != nullptr; table = table->next_table) {
        table->top(borrowers_count_) = closed_top();
    }
    for (AbsentPoolThread* stand_in : stand_ins_) {
        if (stand_in != nullptr) {
            stand_in->tops[borrowers_count_] = closed_top();
        }
    }
    __atomic_store_n(&borrowers_count_, borrowers_count_ + 1, __ATOMIC_RELAXED);
    return borrowers_count_ - 1;
}

// Where two threads race, one borrower stays without pools. Sizes whose chunks are the same share one.
uint32_t PoolHeap::common(size_t bytes) {
    if (bytes > largest_chunk || tables_ == nullptr) {
        return none;
    }
    if (bytes <= most_small) {
        return small_common(bytes + (bytes == 0));
    }
    uint32_t& number = tables_->commons[common_index(bytes)];
    const uint32_t known = __atomic_load_n(&number, __ATOMIC_ACQUIRE);
    if (known != none) {
        return known;
    }
    const size_t chunk = chunk_for(bytes);
    const uint32_t made = common_index(bytes) != common_index(chunk) ? common(chunk) : add(bytes);
    __atomic_store_n(&number, made, __ATOMIC_RELEASE);
    return made;
}

size_t PoolHeap::chunk_bytes(uint32_t borrower) const {
    return borrower < most_borrowers && tables_ != nullptr
               ? __atomic_load_n(&tables_->borrowers[borrower].chunk_bytes, __ATOMIC_ACQUIRE)
               : 0;
}

void PoolHeap::destroy(uint32_t borrower) {
    const platform::Undisturbed undisturbed;
    const Locked locked(arena_.lock);
    if (chunk_bytes(borrower) != 0) {
        __atomic_store_n(&tables_->borrowers[borrower].chunk_bytes, 0, __ATOMIC_RELEASE);
        return_all(borrower);
        tables_->borrowers[borrower].next_unused = unused_borrower_;
        unused_borrower_ = borrower;
    }
}

void* PoolHeap::allocate(PoolThread& self, uint32_t borrower) {
    if (self.is_busy || chunk_bytes(borrower) == 0) {
        return nullptr;
    }
    if (void* object = ended_taking(self, borrower)) {
        return object;
    }
    const BusyScope busy(self);
    void* chunk = nullptr;
    {
        OpenMagazine magazine(*this, self, borrower);
        chunk = magazine.is_whole() ? magazine.take() : nullptr;
    }
    if (chunk != nullptr) {
        mark_object(self, chunk);
        cache(self, borrower);
        limit_cached(self, borrower);
    }
    return chunk;
}

// A claim of the fast path that a handler came into, or what the fast path gives, for callers that did not
// ask it. A chunk of another borrower's goes back.
void* PoolHeap::ended_taking(PoolThread& self, uint32_t borrower) {
    if (self.taking.top == nullptr) [[likely]] {
        return allocate_fast(self, borrower);
    }
    const bool is_wanted = self.taking.top == &self.top(borrower);
    uint64_t& top = *self.taking.top;
    void* chunk = end_taking(self.taking);
    if (chunk == nullptr || is_wanted) {
        if (chunk != nullptr) {
            mark_object(self, chunk);
        }
        return chunk;
    }
    put_into_magazine(top, chunk, self.putting);
    return nullptr;
}

void* PoolHeap::take_run(PoolThread& self, uint32_t borrower, uint32_t& count) {
    void* first = take_from_magazine(self.top(borrower), self.taking);
    Pool* pool = first == nullptr ? next_pool(self, borrower) : nullptr;
    if (pool != nullptr) {
        const Locked locked(pool->lock);
        const uint32_t wanted = count;
        uint64_t freed = 0;
        count = pool->freed() != 0 ? arena_.take_chunks(*pool, 1, &freed) : 0;
        first = reinterpret_cast<void*>(freed);
        if (count == 0) {
            count = wanted;
            first = arena_.carve(*pool, count);
        }
        pool->apart += count - 1;
        ++self.share(borrower).living;
    } else {
        count = first != nullptr;
    }
    if (first != nullptr) {
        mark_object(self, first);
    }
    return first;
}

void PoolHeap::release(PoolThread& self, void* object) {
    if (self.putting.top != nullptr && ended_putting(self, object)) [[unlikely]] {
        return;
    }
    Pool& pool = pool_of_object(object);
    if (self.is_busy || !release_own(self, pool, object)) {
        release_foreign(self, pool, object);
    }
}

Pool& PoolHeap::pool_of_object(const void* object) const {
    Pool* pool = arena_.find(object);
    const ChunkIndex at =
        pool != nullptr ? index_of(*pool, reinterpret_cast<uintptr_t>(object)) : ChunkIndex{};
    if (!at.is_exact) {
        arena_.misused(pool != nullptr ? Misuse::within_chunk : Misuse::no_chunk, object, pool);
    }
    if (is_checked && !ChunkState::is_object(__atomic_load_n(arena_.state_of(object), __ATOMIC_RELAXED))) {
        arena_.misused(Misuse::freed_twice, object, pool);
    }
    return *pool;
}

bool PoolHeap::ended_putting(PoolThread& self, void* object) {
    const uint64_t granule = arena_.granule_of(object);
    if (granule >= arena_.granules() || (is_checked && *arena_.state_of_granule(granule) != self.own) ||
        arena_.top_of_granule(granule) != self.putting.top || !end_putting(self.putting, object)) {
        return false;
    }
    *arena_.state_of_granule(granule) = ChunkState::none;
    return true;
}

// False where it is not this thread's, or cannot be taken in.
bool PoolHeap::release_own(PoolThread& self, Pool& pool, void* object) {
    const BusyScope busy(self);
    take_deferred();
    if (__atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE) == nullptr && !adopt(self, pool)) {
        return false;
    }
    if (__atomic_load_n(&pool.owner, __ATOMIC_ACQUIRE) != &self) {
        return false;
    }
    const size_t size_class = class_of(pool.chunk_bytes);
    const bool is_put = put(self, pool.borrower, object);
    share_spares(self, size_class);
    return is_put;
}

bool PoolHeap::put(PoolThread& self, uint32_t borrower, void* object) {
    OpenMagazine magazine(*this, self, borrower);
    if (!magazine.is_whole()) {
        return false;
    }
    uint8_t* state = arena_.state_of(object);
    __atomic_store_n(state, ChunkState::none, __ATOMIC_RELAXED);
    const bool is_put = magazine.put(object);
    if (!is_put) {
        __atomic_store_n(state, self.mark, __ATOMIC_RELAXED);
    }
    return is_put;
}

// Whoever makes it free first is right; the owner, who uses no locked instruction, notices when the chunk
// comes back to it in another state (PoolArena::take_chunks).
void PoolHeap::release_foreign(PoolThread& self, Pool& pool, void* object) {
    uint8_t* state = arena_.state_of(object);
    uint8_t was = __atomic_load_n(state, __ATOMIC_RELAXED);
    do {
        if (is_checked && !ChunkState::is_object(was)) {
            arena_.misused(Misuse::freed_twice, object, &pool);
        }
    } while (!__atomic_compare_exchange_n(state, &was, ChunkState::in_pool, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    if (self.is_busy) {
        defer(object);
        return;
    }
    const BusyScope busy(self);
    give_to_pool(pool, object);
    arena_.trim();
}

void PoolHeap::give_to_pool(Pool& pool, void* object) {
    bool is_orphan = false;
    {
        const Locked locked(pool.lock);
        arena_.put_chunk(pool, object);
        arena_.count_out(pool, -1);
        is_orphan = pool.owner == nullptr;
        if (!is_orphan) {
            ++pool.returned;
            __atomic_store_n(&pool.owner->share(pool.borrower).was_given, true, __ATOMIC_RELAXED);
            note(pool);
        }
    }
    if (is_orphan) {
        look_after_orphan(pool);
    }
}

// Who frees while its thread is within the heap may be a signal handler: the locks may be its own thread's.
void PoolHeap::defer(void* object) {
    auto* link = static_cast<void**>(object);
    *link = __atomic_load_n(&deferred_, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(&deferred_, link, object, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
}

void PoolHeap::take_deferred() {
    if (__atomic_load_n(&deferred_, __ATOMIC_RELAXED) == nullptr) {
        return;
    }
    void* object = __atomic_exchange_n(&deferred_, nullptr, __ATOMIC_ACQUIRE);
    while (object != nullptr) {
        void* next = *static_cast<void**>(object);
        give_to_pool(*arena_.pool_of(object), object);
        object = next;
    }
}

// The pools of a thread. disown is under the pool's lock.

void PoolHeap::own(PoolThread& self, Pool& pool, uint32_t borrower) {
    PoolShare& share = self.share(borrower);
    const Locked locked(pool.lock);
    pool.borrower = borrower;
    pool.set_state(PoolState::listed);
    pool.returned = 0;
    share.is_kept = false;
    share.living += pool.out - pool.apart;
    share.owned_bytes += range_bytes(pool.order);
    OwnedPools::add(share.owned, pool);
    ListedPools::add(share.listed, pool);
    arena_.set_top(pool, &self.top(borrower));
    __atomic_store_n(&pool.owner, &self, __ATOMIC_RELEASE);
}

void PoolHeap::disown(PoolThread& self, Pool& pool) {
    unlist(self, pool);
    PoolShare& share = self.share(pool.borrower);
    OwnedPools::remove(share.owned, pool);
    share.owned_bytes -= range_bytes(pool.order);
    share.living -= pool.out - pool.apart + pool.returned;
}

void PoolHeap::list(PoolThread& self, Pool& pool) {
    pool.set_state(PoolState::listed);
    ListedPools::add(self.share(pool.borrower).listed, pool);
}

void PoolHeap::unlist(PoolThread& self, Pool& pool) {
    if (pool.state() == PoolState::listed) {
        ListedPools::remove(self.share(pool.borrower).listed, pool);
    } else if (pool.state() == PoolState::spare) {
        ListedPools::remove(self.spare(class_of(pool.chunk_bytes)), pool);
        self.spare_bytes -= range_bytes(pool.order);
    }
    pool.set_state(PoolState::full);
}

Pool* PoolHeap::next_pool(PoolThread& self, uint32_t borrower) {
    take_deferred();
    take_noted(self);
    PoolShare& share = self.share(borrower);
    const bool may_borrow = tables_->borrowers[borrower].pool_order == 0;
    for (;;) {
        Pool* pool = share.listed;
        if (pool == nullptr && may_borrow) {
            pool = lend(self, borrower);
        }
        if (pool == nullptr && may_borrow) {
            pool = adopt_any(self, borrower);
        }
        if (pool == nullptr) {
            pool = make_pool(self, borrower);
        }
        if (pool == nullptr || !set_aside(self, *pool)) {
            return pool;
        }
    }
}

// False where it has chunks.
bool PoolHeap::set_aside(PoolThread& self, Pool& pool) {
    const Locked locked(pool.lock);
    if (pool.has_chunk()) {
        return false;
    }
    unlist(self, pool);
    return true;
}

Pool* PoolHeap::make_pool(PoolThread& self, uint32_t borrower) {
    const Borrower& common = tables_->borrowers[borrower];
    const uint32_t chunk_bytes = __atomic_load_n(&common.chunk_bytes, __ATOMIC_ACQUIRE);
    PoolShare& share = self.share(borrower);
    const unsigned least = first_order(chunk_bytes);
    // All that it had went back: the last was too large.
    const unsigned next = share.owned == nullptr && share.order >= 2 ? share.order - 2U : share.order;
    const unsigned order = common.pool_order != 0 ? common.pool_order - 1U : next < least ? least : next;
    const Locked locked(arena_.lock);
    Pool* pool = arena_.take(order, {chunk_bytes, common.pool_order != 0, is_packed_});
    if (pool != nullptr) {
        share.order = static_cast<uint8_t>(order + 1 < pool_orders ? order + 1 : order);
        own(self, *pool, borrower);
    }
    return pool;
}

// A pool that is mostly free, another borrower's so far. What of it is in that one's magazine goes back
// first; it may become empty by that, and leave.
Pool* PoolHeap::lend(PoolThread& self, uint32_t borrower) {
    const size_t size_class = class_of(chunk_bytes(borrower));
    for (;;) {
        Pool* pool = self.spare(size_class);
        if (pool == nullptr) {
            return nullptr;
        }
        if (pool->is_over) {
            give_back_or_reset(self, *pool);
            continue;
        }
        const uint32_t lender = pool->borrower;
        if (lender == borrower) {
            unlist(self, *pool);
            list(self, *pool);
            return pool;
        }
        OpenMagazine magazine(*this, self, lender);
        if (!magazine.is_whole()) {
            return nullptr;
        }
        magazine.flush();
        if (self.spare(size_class) == pool) {
            {
                const Locked locked(pool->lock);
                disown(self, *pool);
            }
            own(self, *pool, borrower);
            return pool;
        }
    }
}

// After chunks came back to it.
void PoolHeap::look_after(PoolThread& self, Pool& pool) {
    PoolShare& share = self.share(pool.borrower);
    bool is_done = false;
    bool has_chunk = false;
    bool is_spare = false;
    {
        const Locked locked(pool.lock);
        share.living -= pool.returned;
        pool.returned = 0;
        is_done = pool.is_over || (pool.is_empty() && !share.is_kept);
        has_chunk = pool.has_chunk();
        is_spare = pool.is_mostly_free() && pool.apart == 0 && &pool != share.listed &&
                   tables_->borrowers[pool.borrower].pool_order == 0;
    }
    if (is_done) {
        give_back(self, pool);
    } else if (pool.state() == PoolState::full && has_chunk) {
        list(self, pool);
    } else if (pool.state() == PoolState::listed && is_spare) {
        unlist(self, pool);
        pool.set_state(PoolState::spare);
        ListedPools::add(self.spare(class_of(pool.chunk_bytes)), pool);
        self.spare_bytes += range_bytes(pool.order);
    }
}

void PoolHeap::look_at_given(PoolThread& self, uint32_t borrower) {
    PoolShare& share = self.share(borrower);
    if (!__atomic_load_n(&share.was_given, __ATOMIC_RELAXED)) {
        return;
    }
    __atomic_store_n(&share.was_given, false, __ATOMIC_RELAXED);
    for (Pool* pool = share.owned; pool != nullptr;) {
        Pool* next = pool->owned_next;
        look_after(self, *pool);
        pool = next;
    }
}

// Under the pool's lock.
void PoolHeap::note(Pool& pool) {
    if (pool.state() != PoolState::full || pool.is_noted) {
        return;
    }
    pool.is_noted = true;
    Pool*& top = pool.owner->noted;
    pool.noted_next = __atomic_load_n(&top, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&top, &pool.noted_next, &pool, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

void PoolHeap::take_noted(PoolThread& self) {
    if (__atomic_load_n(&self.noted, __ATOMIC_RELAXED) == nullptr) {
        return;
    }
    Pool* pool = __atomic_exchange_n(&self.noted, nullptr, __ATOMIC_ACQUIRE);
    while (pool != nullptr) {
        Pool* next = pool->noted_next;
        {
            const Locked locked(pool->lock);
            pool->is_noted = false;
        }
        look_after(self, *pool);
        pool = next;
    }
}

// False where others have noted it: it stays until that is looked at.
bool PoolHeap::give_back(PoolThread& self, Pool& pool) {
    const Locked locked(arena_.lock);
    {
        const Locked pool_locked(pool.lock);
        if (pool.is_noted) {
            return false;
        }
        disown(self, pool);
    }
    arena_.give_back(pool);
    return true;
}

// What is out of it is not any more.
void PoolHeap::give_back_or_reset(PoolThread& self, Pool& pool) {
    if (!give_back(self, pool)) {
        const Locked locked(pool.lock);
        self.share(pool.borrower).living -= pool.out - pool.apart + pool.returned;
        arena_.reset(pool);
        unlist(self, pool);
        list(self, pool);
    }
}

// Of which nothing lives.
void PoolHeap::give_back_all(PoolThread& self, uint32_t borrower) {
    for (Pool* pool = self.share(borrower).owned; pool != nullptr;) {
        Pool* next = pool->owned_next;
        give_back_or_reset(self, *pool);
        pool = next;
    }
}

}  // namespace malloom::heaps
