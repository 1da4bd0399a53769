// The addresses of an arena and of its tables: found, made usable as far as they are needed, and given back.
#include <string.h>

#include "runtime/heaps/pools/arena.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

using structures::GrowingRange;

namespace {

// Address space only, of which nothing counts but what is in use. Less where the user has limited it, or the
// system has no more.
constexpr size_t usual_bytes = size_t{256} << 30;
constexpr size_t least_bytes = size_t{8} << 20;
/// All tables take less than such a part of what they are for.
constexpr size_t share_of_tables = 8;

constexpr size_t step_bytes = size_t{16} << 20;
/// Of what the process may have, so that the C library gets the rest.
constexpr size_t share_of_step = 64;
constexpr size_t table_step_bytes = size_t{64} << 10;

}  // namespace

bool PoolArena::open(size_t most_bytes) {
    if (is_open()) {
        return true;
    }
    const size_t limit = platform::round_down(platform::address_space_limit(), block_bytes);
    const size_t usual = limit < usual_bytes ? limit : usual_bytes;
    const size_t data = platform::data_limit();
    const size_t share = platform::round_up((data < limit ? data : limit) / share_of_step + 1, block_bytes);
    step_ = share < step_bytes ? share : step_bytes;
    for (size_t wanted = most_bytes < usual ? most_bytes : usual; wanted >= least_bytes; wanted /= 2) {
        if (open_tables(platform::round_down(wanted, block_bytes))) {
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
    return span_.open(bytes + bytes / share_of_tables + 2 * block_bytes) &&
           ranges_.open(span_, bytes, platform::huge_page_bytes, block_bytes) &&
           map_.open(span_, units * sizeof(Pool*), page, table_step_bytes) &&
           tops_.open(span_, units * sizeof(uint64_t*), page, table_step_bytes) &&
           states_.open(span_, bytes / granule_bytes, page, table_step_bytes) &&
           bits_.open(span_, bytes / bytes_per_bits, page, table_step_bytes) &&
           descriptors_.open(span_, units * sizeof(Pool), page, table_step_bytes) &&
           pages_.open(span_, ranges_.base(), bytes) && huge_pages_.open(span_, ranges_.base(), bytes);
}

void PoolArena::close() {
    ranges_.close();
    close_tables();
    span_.close();
}

void PoolArena::close_tables() {
    for (GrowingRange* range : {&map_, &tops_, &states_, &bits_, &descriptors_}) {
        range->close();
    }
    pages_.close();
    huge_pages_.close();
    granules_ = 0;
    growth_ = Pace();
    memset(orders_, 0, sizeof orders_);
    memset(classes_, 0, sizeof classes_);
    open_bytes_ = slack_ = peak_ = taken_ = out_when_less_ = 0;
    orders_less_ = 0;
    seen_given_back_ = seen_needed_again_ = given_back_in_use_ = 0;
    blocks_ = count_ = trimmed_ = out_ = 0;
}

// Ranges of pools of which none of the chunks is an object go, and what has none.
void PoolArena::close_but_objects() {
    bool has_objects = false;
    uintptr_t last = ranges_.base();  // behind what is kept
    const uintptr_t end = ranges_.base() + ranges_.usable();
    for (uintptr_t at = last; at < end;) {
        const Pool* pool = pool_of(reinterpret_cast<void*>(at));
        const uintptr_t next = at + (pool != nullptr ? range_bytes(pool->order) : smallest_range);
        if (pool != nullptr && has_object(*pool)) {
            platform::unmap_pages(reinterpret_cast<void*>(last), at - last);
            last = next;
            has_objects = true;
        }
        at = next;
    }
    if (!has_objects) {
        close();
        return;
    }
    platform::unmap_pages(reinterpret_cast<void*>(last), end - last);
    span_.give_back(end, ranges_.base() + ranges_.bytes());
    ranges_ = GrowingRange();
    close_tables();
    span_.leave();
}

bool PoolArena::has_object(const Pool& pool) const {
    for (uint32_t i = 0; i < pool.carved; ++i) {
        if (ChunkState::is_object(*state_of(reinterpret_cast<void*>(chunk_at(pool, i))))) {
            return true;
        }
    }
    return false;
}

// The tables first: whoever finds the range usable looks there.
bool PoolArena::reach(size_t usable) {
    const size_t units = usable / smallest_range;
    return map_.reach(units * sizeof(Pool*)) && tops_.reach(units * sizeof(uint64_t*)) &&
           states_.reach(usable / granule_bytes) && bits_.reach(usable / bytes_per_bits) &&
           pages_.reach(usable) && huge_pages_.reach(usable) && reach_ranges(usable);
}

bool PoolArena::reach_ranges(size_t usable) {
    const size_t had = ranges_.usable();
    const bool is_done = ranges_.reach(usable);
    huge_pages_.begin(ranges_.base() + had, ranges_.usable() - had);
    return is_done;
}

}  // namespace malloom::heaps
