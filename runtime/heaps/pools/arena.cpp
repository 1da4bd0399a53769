#include "runtime/heaps/pools/arena.h"

#include <utility>

#include "checks/check.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"
#include "runtime/structures/alone.h"
#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::heaps {

using structures::Locked;

namespace {

// First chunks of pools at one place in their pages would meet in the same few cache sets.
constexpr size_t colours = 8;
constexpr size_t colour_bytes = 64;
constexpr uint32_t largest_coloured = 512;

constexpr uint32_t line_bytes = 64;

size_t colour_of(size_t serial, PoolShape shape) {
    if (shape.is_plain) {
        return 0;
    }
    const size_t half = shape.chunk_bytes == line_bytes && !shape.is_packed ? line_bytes / 2 : 0;
    return half + (shape.chunk_bytes <= largest_coloured ? serial % colours * colour_bytes : 0);
}

}  // namespace

// A process that has all the memory it may have would else pay for calls of the system at each request.
bool PoolArena::grow(size_t bytes) {
    if (!growth_.is_due()) {
        return false;
    }
    const size_t stepped = platform::round_up(bytes, step_);
    // A step may be more than is left, as of memory that may be locked.
    const bool is_done = reach(stepped < ranges_.bytes() ? stepped : ranges_.bytes()) || reach(bytes);
    growth_.answered(is_done);
    return is_done;
}

uintptr_t PoolArena::fresh_block() {
    MALLOOM_CHECK_FULL(is_valid());
    const size_t bytes = (blocks_ + 1) * block_bytes;
    if (bytes > ranges_.bytes()) {
        return 0;
    }
    if (bytes > ranges_.usable() && !grow(bytes)) {
        return 0;
    }
    __atomic_store_n(&granules_, ranges_.usable() / granule_bytes, __ATOMIC_RELEASE);
    const uintptr_t block = ranges_.base() + blocks_ * block_bytes;
    ++blocks_;
    adapt_ranges_to_growth();
    if (waits_for_huge_pages_ && reserve() >= block_bytes) {
        waits_for_huge_pages_ = false;
        huge_pages_.prefer();
    }
    make_huge(block);
    return block;
}

// So ranges of all orders lie densely, and each is aligned to its own bytes. 0 without memory.
uintptr_t PoolArena::fresh_range(unsigned order) {
    if (order == pool_orders) {
        return fresh_block();
    }
    uintptr_t& half = orders_[order].half;
    if (half != 0) {
        return std::exchange(half, 0);
    }
    const uintptr_t both = fresh_range(order + 1);
    half = both != 0 ? both + range_bytes(order) : 0;
    return both;
}

Pool* PoolArena::take_fresh(unsigned order) {
    if (!descriptors_.reach((count_ + 1) * sizeof(Pool))) {
        return nullptr;
    }
    const uintptr_t range = fresh_range(order);
    if (range == 0) {
        return nullptr;
    }
    Pool* pool = pools() + count_;
    pool->start = range;
    pool->order = static_cast<uint8_t>(order);
    pool->idle_pages = pages_.resident(range, range + range_bytes(order));
    ++count_;
    return pool;
}

// Where memory is short, and no range that is large enough is left but larger ones that pools have had. One
// of these serves whole where its parts could have no descriptors.
Pool* PoolArena::divide_unused(unsigned order) {
    unsigned larger = order;
    while (larger < pool_orders && orders_[larger].unused == nullptr) {
        ++larger;
    }
    if (larger == pool_orders) {
        return nullptr;
    }
    Pool* pool = orders_[larger].unused;
    orders_[larger].unused = pool->pending_next;
    if (may_divide(order, larger)) {
        const Locked locked(pool->lock);  // trim may be looking
        const uintptr_t range = range_of(*pool);
        while (larger > order) {
            --larger;
            orders_[larger].half = range + range_bytes(larger);
        }
        pool->start = range;
        pool->order = static_cast<uint8_t>(order);
        const uint32_t resident = pages_.resident(range, range + range_bytes(order));
        __atomic_store_n(&pool->idle_pages, resident, __ATOMIC_RELAXED);
    }
    return pool;
}

// Halves that wait already do so for want of descriptors.
bool PoolArena::may_divide(unsigned order, unsigned larger) {
    for (unsigned i = order; i < larger; ++i) {
        if (orders_[i].half != 0) {
            return false;
        }
    }
    const size_t parts = size_t{1} << (larger - order);
    return descriptors_.reach((count_ + parts) * sizeof(Pool));
}

Pool* PoolArena::take(unsigned order, PoolShape shape) {
    note_taken(range_bytes(order));
    while (range_bytes(order) < pages_.page_bytes()) {
        ++order;  // pages of one owner
    }
    Pool* pool = orders_[order].unused;
    if (pool != nullptr) {
        orders_[order].unused = pool->pending_next;
    } else {
        pool = take_fresh(order);
        pool = pool != nullptr ? pool : divide_unused(order);
    }
    if (pool != nullptr) {
        const Locked locked(pool->lock);  // trim may be looking
        // Else two would have it.
        MALLOOM_CHECK(find(reinterpret_cast<void*>(range_of(*pool))) == nullptr);
        fill(*pool, shape);
    }
    return pool;
}

void PoolArena::fill(Pool& pool, PoolShape shape) {
    const size_t colour = colour_of(static_cast<size_t>(&pool - pools()), shape);
    const size_t bytes = range_bytes(pool.order);
    pool.start = range_of(pool) + colour;
    pool.capacity =
        shape.objects != 0 ? shape.objects : static_cast<uint32_t>((bytes - colour) / shape.chunk_bytes);
    pool.is_spread = shape.objects != 0;
    pool.span = uint64_t{pool.capacity} * shape.chunk_bytes;
    pool.chunk_bytes = shape.chunk_bytes;
    pool.reciprocal = reciprocal_of(shape.chunk_bytes / granule_bytes);
    pool.carved = pool.out = pool.reserved = pool.returned = pool.search = 0;
    pool.is_pending = pool.is_over = false;
    begin_use(pool);
    set_map(pool, &pool);
}

void PoolArena::begin_use(const Pool& pool) {
    SizeClass& size_class = classes_[class_of(pool)];
    if (++size_class.pools == 1 || pool.order > size_class.order) {
        const size_t before = size_class.pools == 1 ? 0 : range_bytes(size_class.order);
        __atomic_store_n(&open_bytes_, open_bytes_ + range_bytes(pool.order) - before, __ATOMIC_RELAXED);
        size_class.order = pool.order;
    }
}

void PoolArena::end_use(const Pool& pool) {
    SizeClass& size_class = classes_[class_of(pool)];
    if (--size_class.pools == 0) {
        __atomic_store_n(&open_bytes_, open_bytes_ - range_bytes(size_class.order), __ATOMIC_RELAXED);
    }
}

void PoolArena::set_map(const Pool& pool, Pool* value) {
    Pool** first = map() + ((range_of(pool) - ranges_.base()) >> pool_unit_shift);
    for (size_t i = 0; i < range_bytes(pool.order) / smallest_range; ++i) {
        __atomic_store_n(first + i, value, __ATOMIC_RELEASE);
    }
}

void PoolArena::set_top(const Pool& pool, uint64_t* top) {
    uint64_t** first = tops() + ((range_of(pool) - ranges_.base()) >> pool_unit_shift);
    for (size_t i = 0; i < range_bytes(pool.order) / smallest_range; ++i) {
        __atomic_store_n(first + i, top, __ATOMIC_RELAXED);
    }
}

void PoolArena::give_back(Pool& pool) {
    const Locked locked(pool.lock);
    MALLOOM_CHECK_FULL(is_valid(pool));
    set_map(pool, nullptr);
    set_top(pool, nullptr);
    reset(pool);
    pool.set_state(PoolState::unused);
    __atomic_store_n(&pool.owner, nullptr, __ATOMIC_RELEASE);
    end_use(pool);
    Order& order = orders_[pool.order];
    pool.pending_next = order.unused;
    order.unused = &pool;
}

void PoolArena::misused(Misuse misuse, const void* object, const Pool* pool) const {
    if (on_misuse_ != nullptr) {
        on_misuse_(misuse, object, pool != nullptr ? pool->client : 0);
    }
    platform::abort_with(misuse == Misuse::freed_twice || misuse == Misuse::freed_by_two
                             ? "malloom: free of an object that was freed before"
                             : "malloom: free of an address where no object begins");
}

void PoolArena::recount_all() {
    pages_.begin_recount();
    out_ = 0;
    for (size_t i = 0; i < count_; ++i) {
        Pool& pool = pools()[i];
        pages_.recount(pool);
        out_ += pool.state() != PoolState::unused ? pool.out * object_bytes(pool) : 0;
    }
    for (unsigned order = 0; order < pool_orders; ++order) {
        const uintptr_t half = orders_[order].half;
        if (half != 0) {
            pages_.recount(half, half + range_bytes(order));
        }
    }
}

// Where so many pages may be idle.
void PoolArena::make_huge(uintptr_t block) {
    if (huge_pages_.are_preferred() && idle_bytes() + block_bytes <= most_idle() && huge_pages_.make(block)) {
        pages_.add_idle(block, block + block_bytes);
    }
}

// The pool was just filled. Under its lock.
void PoolArena::gather(const Pool& pool) {
    const uintptr_t block = range_of(pool) & ~(block_bytes - 1);
    if (!huge_pages_.is_huge(block) && is_resident(pool, block)) {
        huge_pages_.gather(block);
    }
}

bool PoolArena::is_resident(const Pool& filled, uintptr_t block) const {
    for (uintptr_t at = block; at < block + block_bytes;) {
        Pool* pool = find(reinterpret_cast<void*>(at));
        if (pool == nullptr || (pool != &filled && !pool->lock.try_lock())) {
            return false;
        }
        const uintptr_t end = at + range_bytes(pool->order);
        const bool is_whole = pages_.resident(at, end) == (end - at) / pages_.page_bytes();
        if (pool != &filled) {
            pool->lock.unlock();
        }
        if (!is_whole) {
            return false;
        }
        at = end;
    }
    return true;
}

}  // namespace malloom::heaps
