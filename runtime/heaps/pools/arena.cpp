#include "runtime/heaps/pools/arena.h"

#include <string.h>

#include <utility>

#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"
#include "runtime/structures/alone.h"
#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::heaps {

using structures::GrowingRange;
using structures::Locked;

namespace {

// Address space only. Less where the user has limited it, or the system has no more.
constexpr size_t usual_bytes = size_t{256} << 30;
constexpr size_t least_bytes = size_t{64} << 20;
constexpr size_t share_of_limit = 8;

constexpr size_t step_bytes = size_t{16} << 20;
constexpr size_t table_step_bytes = size_t{64} << 10;

// Idle pages: so much of what is out, or the least, whichever is more.
constexpr size_t idle_share = 16;
constexpr size_t least_idle = size_t{1} << 20;
// And one open pool of each size class in use, in all so much at most.
constexpr size_t most_open = size_t{2} << 20;

// Of bits_: a byte for so many bytes of the arena.
constexpr size_t bytes_per_bits = granule_bytes * 8;

// First chunks of pools at one place in their pages would meet in the same few cache sets.
constexpr size_t colours = 8;
constexpr size_t colour_bytes = 64;
constexpr uint32_t largest_coloured = 512;

constexpr uint32_t line_bytes = 64;

// Pages become resident so many parts of a range at once.
constexpr size_t parts = 8;

size_t colour_of(size_t serial, PoolShape shape) {
    if (shape.is_plain) {
        return 0;
    }
    const size_t half = shape.chunk_bytes == line_bytes && !shape.is_packed ? line_bytes / 2 : 0;
    return half + (shape.chunk_bytes <= largest_coloured ? serial % colours * colour_bytes : 0);
}

}  // namespace

bool PoolArena::open(size_t most_bytes) {
    if (is_open()) {
        return true;
    }
    const size_t limit = platform::address_space_limit();
    const size_t allowed = limit / share_of_limit < most_bytes ? limit / share_of_limit : most_bytes;
    page_shift_ = static_cast<unsigned>(__builtin_ctzll(platform::page_bytes()));
    for (size_t wanted = usual_bytes; wanted >= least_bytes; wanted /= 2) {
        if (wanted <= allowed && open_tables(wanted)) {
            state_origin_ = states_.base() - (ranges_.base() >> granule_shift);
            return true;
        }
        close();
    }
    return false;
}

bool PoolArena::open_tables(size_t bytes) {
    const size_t units = bytes / smallest_range;
    const size_t page = platform::page_bytes();
    return ranges_.open(bytes, platform::huge_page_bytes, step_bytes) &&
           map_.open(units * sizeof(Pool*), page, table_step_bytes) &&
           tops_.open(units * sizeof(uint64_t*), page, table_step_bytes) &&
           states_.open(bytes / granule_bytes, page, table_step_bytes) &&
           bits_.open(bytes / bytes_per_bits, page, table_step_bytes) &&
           pages_.open((bytes >> page_shift_) * sizeof(PageCount), page, table_step_bytes) &&
           descriptors_.open(units * sizeof(Pool), page, table_step_bytes) &&
           huge_.open(platform::round_up(bytes / block_bytes, page), page, page);
}

void PoolArena::close() {
    for (GrowingRange* range : {&ranges_, &map_, &tops_, &states_, &bits_, &pages_, &descriptors_, &huge_}) {
        range->close();
    }
    granules_ = 0;
    memset(orders_, 0, sizeof orders_);
    memset(classes_, 0, sizeof classes_);
    open_bytes_ = 0;
    blocks_ = count_ = held_ = trimmed_ = 0;
    idle_ = out_ = 0;
}

// The tables first: whoever finds the range usable looks there.
bool PoolArena::reach(size_t usable) {
    const size_t units = usable / smallest_range;
    return map_.reach(units * sizeof(Pool*)) && tops_.reach(units * sizeof(uint64_t*)) &&
           states_.reach(usable / granule_bytes) && bits_.reach(usable / bytes_per_bits) &&
           pages_.reach((usable >> page_shift_) * sizeof(PageCount)) && huge_.reach(usable / block_bytes) &&
           ranges_.reach(usable);
}

uintptr_t PoolArena::fresh_block() {
    const size_t bytes = (blocks_ + 1) * block_bytes;
    if (!reach(platform::round_up(bytes, step_bytes))) {
        return 0;
    }
    __atomic_store_n(&granules_, ranges_.usable() / granule_bytes, __ATOMIC_RELEASE);
    const uintptr_t block = ranges_.base() + blocks_ * block_bytes;
    ++blocks_;
    if (prefers_huge_pages_) {
        make_huge(block);
    }
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
    pool->idle_pages = touched_pages(range, range + range_bytes(order));
    ++count_;
    return pool;
}

Pool* PoolArena::take(unsigned order, PoolShape shape) {
    while (range_bytes(order) < size_t{1} << page_shift_) {
        ++order;  // pages of one owner
    }
    Pool* pool = orders_[order].unused;
    if (pool != nullptr) {
        orders_[order].unused = pool->noted_next;
    } else {
        pool = take_fresh(order);
    }
    if (pool != nullptr) {
        const Locked locked(pool->lock);  // trim may be looking
        fill(*pool, shape);
    }
    return pool;
}

void PoolArena::fill(Pool& pool, PoolShape shape) {
    const size_t colour = colour_of(static_cast<size_t>(&pool - pools()), shape);
    const size_t bytes = range_bytes(pool.order);
    pool.start = range_of(pool) + colour;
    pool.capacity = static_cast<uint32_t>((bytes - colour) / shape.chunk_bytes);
    pool.span = uint64_t{pool.capacity} * shape.chunk_bytes;
    pool.chunk_bytes = shape.chunk_bytes;
    pool.reciprocal = reciprocal_of(shape.chunk_bytes / granule_bytes);
    pool.carved = pool.out = pool.apart = pool.returned = pool.search = 0;
    pool.is_noted = pool.is_over = false;
    held_ += bytes;
    begin_use(pool);
    set_map(pool, &pool);
}

void PoolArena::begin_use(const Pool& pool) {
    SizeClass& size_class = classes_[class_of(pool.chunk_bytes)];
    if (++size_class.pools == 1 || pool.order > size_class.order) {
        const size_t before = size_class.pools == 1 ? 0 : range_bytes(size_class.order);
        __atomic_store_n(&open_bytes_, open_bytes_ + range_bytes(pool.order) - before, __ATOMIC_RELAXED);
        size_class.order = pool.order;
    }
}

void PoolArena::end_use(const Pool& pool) {
    SizeClass& size_class = classes_[class_of(pool.chunk_bytes)];
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
    set_map(pool, nullptr);
    set_top(pool, nullptr);
    const Locked locked(pool.lock);
    reset(pool);
    pool.set_state(PoolState::unused);
    __atomic_store_n(&pool.owner, nullptr, __ATOMIC_RELEASE);
    held_ -= range_bytes(pool.order);
    end_use(pool);
    Order& order = orders_[pool.order];
    pool.noted_next = order.unused;
    order.unused = &pool;
}

// Chunks that nobody will give back any more leave their pages too.
void PoolArena::reset(Pool& pool) {
    const uintptr_t range = range_of(pool);
    const size_t used = platform::round_up(chunk_at(pool, pool.carved), state_block) - range;
    memset(state_of(reinterpret_cast<void*>(range)), ChunkState::none, used / granule_bytes);
    memset(free_bits(pool), 0, (pool.carved + size_t{63}) / 64 * sizeof(uint64_t));
    count_out(pool, -static_cast<int64_t>(pool.out));
    PageCount* page = page_of(range);
    const PageCount* end = page_of(range + range_bytes(pool.order) - 1) + 1;
    int64_t idle = 0;
    for (; pool.out != 0 && page != end; ++page) {
        idle += *page > idle_page;
        *page = *page != 0 ? idle_page : PageCount{0};
    }
    count_idle(pool, idle);
    pool.carved = pool.out = pool.apart = pool.returned = pool.search = 0;
}

void PoolArena::misused(Misuse misuse, const void* object, const Pool* pool) const {
    if (on_misuse_ != nullptr) {
        on_misuse_(misuse, object, pool != nullptr ? pool->borrower : 0);
    }
    platform::abort_with(misuse == Misuse::freed_twice || misuse == Misuse::freed_by_two
                             ? "malloom: free of an object that was freed before"
                             : "malloom: free of an address where no object begins");
}

PoolArena::PageCount* PoolArena::page_of(uintptr_t address) const {
    return reinterpret_cast<PageCount*>(pages_.base()) + ((address - ranges_.base()) >> page_shift_);
}

uint64_t* PoolArena::free_bits(const Pool& pool) const {
    return reinterpret_cast<uint64_t*>(bits_.base() + (range_of(pool) - ranges_.base()) / bytes_per_bits);
}

void PoolArena::count_idle(Pool& pool, int64_t pages) {
    __atomic_store_n(&pool.idle_pages, pool.idle_pages + static_cast<uint32_t>(pages), __ATOMIC_RELAXED);
    count_idle(pages);
}

void PoolArena::count_idle(int64_t pages) {
    structures::fetch_add(structures::alone(), idle_, static_cast<uint64_t>(pages) << page_shift_);
}

void PoolArena::count_out(const Pool& pool, int64_t chunks) {
    structures::fetch_add(structures::alone(), out_, static_cast<uint64_t>(chunks * pool.chunk_bytes));
}

void PoolArena::occupy_page(Pool& pool, PageCount* page, uint32_t chunks) {
    if (*page == idle_page) {
        count_idle(pool, -1);
    }
    *page = static_cast<PageCount>(*page + chunks + (*page == 0));
}

// Chunks that are neighbours; those across a border count on both pages.
void PoolArena::occupy_pages(Pool& pool, uint32_t first, uint32_t count) {
    const uintptr_t page_bytes = uintptr_t{1} << page_shift_;
    const uintptr_t end = chunk_at(pool, first + count);
    const uintptr_t begin = chunk_at(pool, first);
    PageCount* page = page_of(begin);
    for (uintptr_t next = platform::round_down(begin, page_bytes) + page_bytes; next < end;
         next += page_bytes) {
        occupy_page(pool, page, index_of(pool, next - 1).index + 1 - first);
        count -= index_of(pool, next).index - first;
        first = index_of(pool, next).index;
        ++page;
    }
    occupy_page(pool, page, count);
}

void PoolArena::leave_pages(Pool& pool, uintptr_t chunk) {
    const PageCount* last = page_of(chunk + pool.chunk_bytes - 1);
    for (PageCount* page = page_of(chunk); page <= last; ++page) {
        --*page;
        if (*page == idle_page) {
            count_idle(pool, 1);
        }
    }
}

uint32_t PoolArena::take_chunks(Pool& pool, uint32_t most, uint64_t* last) {
    if (pool.freed() == 0) {
        uint32_t count = most;
        auto chunk = reinterpret_cast<uintptr_t>(carve(pool, count));
        for (uint32_t i = 0; i < count; ++i, chunk += pool.chunk_bytes) {
            *(last - i) = chunk;
        }
        return count;
    }
    const uint32_t count = most < pool.freed() ? most : pool.freed();
    uint64_t* words = free_bits(pool);
    for (uint32_t i = 0; i < count; ++i) {
        while (words[pool.search] == 0) {
            ++pool.search;
        }
        uint64_t& word = words[pool.search];
        const uint32_t index = pool.search * 64 + static_cast<unsigned>(__builtin_ctzll(word));
        const uintptr_t chunk = chunk_at(pool, index);
        word &= word - 1;
        uint8_t* state = state_of(reinterpret_cast<void*>(chunk));
        if (is_checked && __atomic_load_n(state, __ATOMIC_RELAXED) != ChunkState::in_pool) {
            misused(Misuse::freed_by_two, reinterpret_cast<void*>(chunk), &pool);
        }
        __atomic_store_n(state, ChunkState::none, __ATOMIC_RELAXED);
        occupy_pages(pool, index, 1);
        *(last - i) = chunk;
    }
    pool.out += count;
    count_out(pool, count);
    return count;
}

void* PoolArena::carve(Pool& pool, uint32_t& count) {
    const uint32_t left = pool.capacity - pool.carved;
    count = count < left ? count : left;
    if (count == 0) {
        return nullptr;
    }
    const uintptr_t first = chunk_at(pool, pool.carved);
    populate(pool, first + uint64_t{count} * pool.chunk_bytes);
    occupy_pages(pool, pool.carved, count);
    pool.carved += count;
    pool.out += count;
    count_out(pool, count);
    if (prefers_huge_pages_ && pool.carved == pool.capacity) {
        gather(pool);
    }
    return reinterpret_cast<void*>(first);
}

void PoolArena::put_chunk(Pool& pool, const void* chunk) {
    const uint32_t index = index_of(pool, reinterpret_cast<uintptr_t>(chunk)).index;
    uint64_t& word = free_bits(pool)[index / 64];
    const uint64_t bit = uint64_t{1} << index % 64;
    if ((word & bit) != 0) {
        misused(Misuse::freed_by_two, chunk, &pool);
    }
    word |= bit;
    pool.search = index / 64 < pool.search ? index / 64 : pool.search;
    --pool.out;
    leave_pages(pool, reinterpret_cast<uintptr_t>(chunk));
}

// Ahead of what is carved, a part of the range at a time: so many faults become one system call. Idle pages
// they are, and bounded with them.
void PoolArena::populate(Pool& pool, uintptr_t end) {
    const size_t step = range_bytes(pool.order) / parts;
    const uintptr_t from = platform::round_up(end, platform::page_bytes());
    if (step <= platform::page_bytes() || *page_of(end - 1) != 0 || idle_bytes() + step > most_idle()) {
        return;
    }
    const uintptr_t first = platform::round_down(chunk_at(pool, pool.carved), platform::page_bytes());
    const uintptr_t range_end = range_of(pool) + range_bytes(pool.order);
    const uintptr_t past = from + step < range_end ? from + step : range_end;
    platform::populate_pages(reinterpret_cast<void*>(first), past - first);
    int64_t made = 0;
    for (uintptr_t page = first; page < past; page += platform::page_bytes()) {
        if (*page_of(page) == 0) {
            *page_of(page) = idle_page;
            ++made;
        }
    }
    count_idle(pool, made);
}

void PoolArena::recount(Pool& pool) {
    PageCount* page = page_of(range_of(pool));
    for (const PageCount* end = page_of(range_of(pool) + range_bytes(pool.order) - 1) + 1; page != end;
         ++page) {
        *page = *page != 0 ? idle_page : PageCount{0};
    }
    uint64_t* words = free_bits(pool);
    memset(words, 0, (pool.capacity + 63) / 64 * sizeof(uint64_t));
    pool.out = 0;
    pool.search = 0;
    for (uint32_t i = 0; i < pool.carved; ++i) {
        const uintptr_t chunk = chunk_at(pool, i);
        if (*state_of(reinterpret_cast<void*>(chunk)) == ChunkState::in_pool) {
            words[i / 64] |= uint64_t{1} << i % 64;
        } else {
            ++pool.out;
            occupy_pages(pool, i, 1);
        }
    }
}

void PoolArena::freeze(Pool& pool) {
    constexpr PageCount pinned = 0x8000;
    PageCount* page = page_of(range_of(pool));
    for (const PageCount* end = page_of(range_of(pool) + range_bytes(pool.order) - 1) + 1; page != end;
         ++page) {
        *page = pinned;
    }
    memset(free_bits(pool), 0, (pool.capacity + 63) / 64 * sizeof(uint64_t));
    pool.carved = pool.out = pool.capacity;
    pool.apart = pool.returned = pool.search = 0;
}

void PoolArena::recount_all() {
    idle_ = out_ = 0;
    for (size_t i = 0; i < count_; ++i) {
        Pool& pool = pools()[i];
        pool.idle_pages = 0;
        const PageCount* page = page_of(range_of(pool));
        const PageCount* end = page_of(range_of(pool) + range_bytes(pool.order) - 1) + 1;
        for (; page != end; ++page) {
            pool.idle_pages += *page == idle_page;
        }
        idle_ += uint64_t{pool.idle_pages} << page_shift_;
        out_ += pool.state() != PoolState::unused ? uint64_t{pool.out} * pool.chunk_bytes : 0;
    }
    for (unsigned order = 0; order < pool_orders; ++order) {
        const uintptr_t half = orders_[order].half;
        count_idle(half != 0 ? touched_pages(half, half + range_bytes(order)) : 0);
    }
}

size_t PoolArena::reserve() const {
    const size_t share = out_bytes() / idle_share;
    return share > least_idle ? share : least_idle;
}

size_t PoolArena::most_idle() const {
    const size_t open = __atomic_load_n(&open_bytes_, __ATOMIC_RELAXED);
    return reserve() + (open < most_open ? open : most_open) + (prefers_huge_pages_ ? block_bytes : 0);
}

// Down to half of what is allowed, so that one call of the system gives many pages back.
void PoolArena::trim() {
    const size_t most = most_idle();
    if (idle_bytes() > most) [[unlikely]] {
        const Locked locked(lock);
        discard_of_some(most / 2);
    }
}

void PoolArena::discard_of_some(size_t wanted) {
    for (size_t i = 0; i < count_ && idle_bytes() > wanted; ++i) {
        trimmed_ = trimmed_ + 1 < count_ ? trimmed_ + 1 : 0;
        Pool& pool = pools()[trimmed_];
        if (__atomic_load_n(&pool.idle_pages, __ATOMIC_RELAXED) != 0 && pool.lock.try_lock()) {
            discard_idle(pool);
            pool.lock.unlock();
        }
    }
    for (unsigned order = 0; order < pool_orders && idle_bytes() > wanted; ++order) {
        const uintptr_t half = orders_[order].half;
        if (half != 0) {
            count_idle(-static_cast<int64_t>(discard_idle(half, half + range_bytes(order))));
        }
    }
}

void PoolArena::discard_idle(Pool& pool) {
    const uint32_t pages = discard_idle(range_of(pool), range_of(pool) + range_bytes(pool.order));
    count_idle(pool, -static_cast<int64_t>(pages));
    if (pool.state() == PoolState::unused) {
        discard_tables(pool);
    }
}

// Says how many pages went.
uint32_t PoolArena::discard_idle(uintptr_t begin, uintptr_t end) {
    const size_t page = platform::page_bytes();
    uint32_t pages = 0;
    uintptr_t first = 0;  // of a row of idle ones
    for (uintptr_t at = begin; at <= end; at += page) {
        const bool is_idle = at < end && *page_of(at) == idle_page;
        if (is_idle) {
            *page_of(at) = 0;
            first = first != 0 ? first : at;
            ++pages;
        } else if (first != 0) {
            platform::discard_pages(reinterpret_cast<void*>(first), at - first);
            first = 0;
        }
    }
    if (pages != 0) {
        __atomic_store_n(is_huge(begin), false, __ATOMIC_RELAXED);
    }
    return pages;
}

// Of a range without a pool: they are zero, as discarded pages read.
void PoolArena::discard_tables(const Pool& pool) {
    const size_t page = platform::page_bytes();
    const auto discard = [&](uintptr_t begin, size_t bytes) {
        const uintptr_t first = platform::round_up(begin, page);
        const uintptr_t end = platform::round_down(begin + bytes, page);
        if (first < end) {
            platform::discard_pages(reinterpret_cast<void*>(first), end - first);
        }
    };
    const size_t bytes = range_bytes(pool.order);
    discard(reinterpret_cast<uintptr_t>(state_of(reinterpret_cast<void*>(range_of(pool)))),
            bytes / granule_bytes);
    discard(reinterpret_cast<uintptr_t>(free_bits(pool)), bytes / bytes_per_bits);
}

void PoolArena::prefer_huge_pages() {
    prefers_huge_pages_ = is_open() && platform::huge_pages_are_allowed();
    if (prefers_huge_pages_) {
        platform::refuse_huge_pages(reinterpret_cast<void*>(ranges_.base()), ranges_.bytes());
    }
}

bool* PoolArena::is_huge(uintptr_t address) const {
    return reinterpret_cast<bool*>(huge_.base() + (address - ranges_.base()) / block_bytes);
}

uint32_t PoolArena::touched_pages(uintptr_t begin, uintptr_t end) const {
    uint32_t touched = 0;
    for (uintptr_t page = begin; page < end; page += uintptr_t{1} << page_shift_) {
        touched += __atomic_load_n(page_of(page), __ATOMIC_RELAXED) != 0;
    }
    return touched;
}

// Before its first use, where so many pages may be idle: that takes half the time of its small pages, and a
// third of gathering them. Not the first: a process may need little of it; and its pages give the mapping
// what the kernel asks for before it joins others to it. Under the lock.
void PoolArena::make_huge(uintptr_t block) {
    static_assert(platform::huge_page_bytes == block_bytes);
    if (block == ranges_.base() || idle_bytes() + block_bytes > most_idle() || !huge_page_pace_.is_due()) {
        return;
    }
    const uint64_t began = platform::monotonic_nanoseconds();
    if (platform::make_huge_page(reinterpret_cast<void*>(block))) {
        for (uintptr_t page = block; page < block + block_bytes; page += platform::page_bytes()) {
            *page_of(page) = idle_page;
        }
        count_idle(static_cast<int64_t>(block_bytes >> page_shift_));
        __atomic_store_n(is_huge(block), true, __ATOMIC_RELAXED);
    }
    huge_page_pace_.took(platform::monotonic_nanoseconds() - began);
}

// Other blocks once all their chunks were in use. Not by MADV_HUGEPAGE before the first touch: one that is
// hardly used would have all its pages at once. Under the pool's lock.
void PoolArena::gather(const Pool& pool) {
    const uintptr_t block = range_of(pool) & ~(block_bytes - 1);
    if (__atomic_load_n(is_huge(block), __ATOMIC_RELAXED) || !is_resident(pool, block) ||
        !huge_page_pace_.is_due()) {
        return;
    }
    const uint64_t began = platform::monotonic_nanoseconds();
    const bool is_gathered = platform::gather_huge_page(reinterpret_cast<void*>(block));
    __atomic_store_n(is_huge(block), is_gathered, __ATOMIC_RELAXED);
    huge_page_pace_.took(platform::monotonic_nanoseconds() - began);
}

// The pool that was just filled is locked already.
bool PoolArena::is_resident(const Pool& filled, uintptr_t block) const {
    for (uintptr_t at = block; at < block + block_bytes;) {
        Pool* pool = find(reinterpret_cast<void*>(at));
        if (pool == nullptr || (pool != &filled && !pool->lock.try_lock())) {
            return false;
        }
        const uintptr_t end = at + range_bytes(pool->order);
        const bool is_whole = touched_pages(at, end) == (end - at) >> page_shift_;
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
