#include "runtime/heaps/pool_arena.h"

#include "runtime/platform/memory.h"

namespace malloom::heaps {

constinit PoolArena pool_arena;
constinit Pool no_pool_there = {};

namespace {

// Address space only. Less where the user has limited it, or the system has no more.
constexpr size_t usual_bytes = size_t{256} << 30;
constexpr size_t least_bytes = size_t{64} << 20;
constexpr size_t share_of_limit = 8;

constexpr size_t step_bytes = size_t{16} << 20;
constexpr size_t table_step_bytes = size_t{64} << 10;

// Unused ranges that keep their pages: at most so much, and a share of what is in use.
constexpr size_t least_resident = size_t{1} << 20;
constexpr size_t resident_share = 16;

// First chunks of pools at one place in their pages would meet in the same few cache sets.
constexpr size_t colours = 8;
constexpr size_t colour_bytes = 64;
constexpr uint32_t largest_coloured = 512;

// Objects of a line lie across two: whoever follows the links in the one half finds the other half of the
// neighbour fetched already, where neighbours are visited soon after each other.
constexpr uint32_t line_bytes = 64;

size_t colour_of(size_t serial, uint32_t chunk_bytes) {
    const size_t half = chunk_bytes == line_bytes ? line_bytes / 2 : 0;
    return half + (chunk_bytes <= largest_coloured ? serial % colours * colour_bytes : 0);
}

}  // namespace

bool PoolArena::open() {
    if (ranges_.bytes() != 0) {
        return true;
    }
    const size_t allowed = platform::address_space_limit() / share_of_limit;
    for (size_t wanted = usual_bytes; wanted >= least_bytes; wanted /= 2) {
        const size_t granules = wanted / smallest_range;
        if (wanted <= allowed && ranges_.open(wanted, platform::huge_page_bytes, step_bytes) &&
            map_.open(granules * sizeof(Pool*), platform::page_bytes(), table_step_bytes) &&
            tops_.open(granules * sizeof(uint64_t*), platform::page_bytes(), table_step_bytes) &&
            descriptors_.open(granules * sizeof(Pool), platform::page_bytes(), table_step_bytes)) {
            return true;
        }
        ranges_.close();
        map_.close();
        tops_.close();
        descriptors_.close();
    }
    return false;
}

Pool* PoolArena::take(unsigned order, uint32_t family, uint32_t chunk_bytes) {
    Pool* pool = take_unused(order);
    if (pool == nullptr) {
        pool = take_fresh(order);
    }
    if (pool == nullptr) {
        return nullptr;
    }
    const size_t bytes = range_bytes(order);
    const size_t colour = colour_of(static_cast<size_t>(pool - pools()), chunk_bytes);
    pool->start = range_of(*pool) + colour;
    pool->span = (bytes - colour) / chunk_bytes * chunk_bytes;
    pool->chunk_bytes = chunk_bytes;
    pool->family = family;
    pool->carved = 0;
    pool->living = 0;
    pool->free = nullptr;
    pool->foreign.clear();
    held_ += bytes;
    set_map(range_of(*pool), bytes, pool);
    return pool;
}

Pool* PoolArena::take_unused(unsigned order) {
    Order& from = orders_[order];
    Pool*& list = from.resident != nullptr ? from.resident : from.discarded;
    Pool* pool = list;
    if (pool != nullptr) {
        if (pool->populated != 0) {
            resident_ -= range_bytes(order);
        }
        list = pool->noted_next;
    }
    return pool;
}

Pool* PoolArena::take_fresh(unsigned order) {
    Order& from = orders_[order];
    if ((from.cursor == from.end && !extend(from)) || !descriptors_.reach((count_ + 1) * sizeof(Pool))) {
        return nullptr;
    }
    Pool* pool = pools() + count_;
    ++count_;
    pool->start = from.cursor;
    pool->order = static_cast<uint8_t>(order);
    from.cursor += range_bytes(order);
    return pool;
}

// The map first: whoever finds the range usable looks there.
bool PoolArena::extend(Order& order) {
    const size_t bytes = (blocks_ + 1) * largest_range;
    const size_t usable = platform::round_up(bytes, step_bytes);
    const size_t granules = usable / smallest_range;
    if (!map_.reach(granules * sizeof(Pool*)) || !tops_.reach(granules * sizeof(uint64_t*))) {
        return false;
    }
    if (bytes > ranges_.usable()) {
        set_map(ranges_.base() + ranges_.usable(), usable - ranges_.usable(), &no_pool_there);
    }
    if (!ranges_.reach(bytes)) {
        return false;
    }
    order.cursor = ranges_.base() + blocks_ * largest_range;
    order.end = order.cursor + largest_range;
    ++blocks_;
    return true;
}

void PoolArena::set_map(uintptr_t range, size_t bytes, Pool* value) {
    Pool** first = map() + ((range - ranges_.base()) >> pool_granule_shift);
    for (size_t i = 0; i < bytes / smallest_range; ++i) {
        __atomic_store_n(first + i, value, __ATOMIC_RELEASE);
    }
}

void PoolArena::set_top(const Pool& pool, uint64_t* top) {
    uint64_t** first = tops() + ((range_of(pool) - ranges_.base()) >> pool_granule_shift);
    for (size_t i = 0; i < range_bytes(pool.order) / smallest_range; ++i) {
        __atomic_store_n(first + i, top, __ATOMIC_RELAXED);
    }
}

// `populated` says whether an unused range has pages.
void PoolArena::give_back(Pool& pool) {
    const size_t bytes = range_bytes(pool.order);
    set_map(range_of(pool), bytes, &no_pool_there);
    set_top(pool, nullptr);
    pool.state = PoolState::unused;
    pool.owner = nullptr;
    held_ -= bytes;
    Order& order = orders_[pool.order];
    if (pool.foreign.is_emptied()) {
        pool.populated = 0;
        pool.noted_next = order.discarded;
        order.discarded = &pool;
        return;
    }
    pool.populated = Pool::parts;
    pool.noted_next = order.resident;
    order.resident = &pool;
    resident_ += bytes;
    discard_surplus();
}

void PoolArena::prefer_huge_pages() {
    prefers_huge_pages_ = platform::huge_pages_are_allowed();
}

// Not by MADV_HUGEPAGE before the first touch: a pool that is hardly used would have all its pages at once.
void PoolArena::gather(const Pool& pool) {
    static_assert(platform::huge_page_bytes == 2 * largest_range);
    const auto is_whole = [](const Pool& half) {
        return half.order == pool_orders - 1 &&
               __atomic_load_n(&half.populated, __ATOMIC_RELAXED) == Pool::parts;
    };
    const uintptr_t range = range_of(pool);
    if (prefers_huge_pages_ && is_whole(pool) &&
        is_whole(*find(reinterpret_cast<void*>(range ^ largest_range))) && huge_page_pace_.is_due()) {
        const uint64_t began = platform::monotonic_nanoseconds();
        platform::gather_huge_page(reinterpret_cast<void*>(range & ~largest_range));
        huge_page_pace_.took(platform::monotonic_nanoseconds() - began);
    }
}

void PoolArena::discard_surplus() {
    const size_t most = least_resident + held_ / resident_share;
    for (unsigned i = pool_orders; i-- > 0;) {
        Order& order = orders_[i];
        while (resident_ > most && order.resident != nullptr) {
            Pool* pool = order.resident;
            order.resident = pool->noted_next;
            platform::discard_pages(reinterpret_cast<void*>(range_of(*pool)), range_bytes(i));
            resident_ -= range_bytes(i);
            pool->populated = 0;
            pool->noted_next = order.discarded;
            order.discarded = pool;
        }
    }
}

}  // namespace malloom::heaps
