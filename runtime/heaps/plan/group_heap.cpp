#include "runtime/heaps/plan/group_heap.h"

#include "checks/check.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

using formats::plan::PlanGroup;
using structures::alone;
using structures::fetch_add;
using structures::IndexStack;

namespace {

// Address space for all groups together, and for one at most. Only what is touched costs memory.
constexpr uint64_t all_spans_bytes = uint64_t{1} << 40;
constexpr uint64_t largest_span_bytes = uint64_t{16} << 30;
constexpr uint64_t smallest_chunk_bytes = uint64_t{4} << 10;
constexpr uint64_t largest_chunk_bytes = uint64_t{16} << 20;
constexpr uint64_t most_groups = all_spans_bytes / largest_chunk_bytes / 16;

// Empty chunks that keep their pages, of each group.
constexpr uint64_t kept_bytes = uint64_t{1} << 20;
// What a group may hold beyond twice of what lives in it.
constexpr uint64_t slack_bytes = uint64_t{1} << 20;

// Of the tables that a group has beside its span: Group::living and Group::links.
constexpr size_t table_entry_bytes = sizeof(uint64_t) + sizeof(uint32_t);

uint64_t largest(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

}  // namespace

bool GroupHeap::open(const PlanFile& plan, bool in_huge_pages) {
    const uint64_t count = plan.header().groups_count;
    if (count == 0 || count > most_groups) {
        return false;
    }
    uint64_t span = largest_span_bytes;
    while (span * count > all_spans_bytes) {
        span /= 2;
    }
    table_bytes_ = platform::round_up(count * sizeof(Group), platform::page_bytes());
    groups_ = static_cast<Group*>(platform::map_pages(table_bytes_));
    if (groups_ == nullptr || !occupancy_.open(span * count)) {
        close();
        return false;
    }
    span_shift_ = static_cast<uint32_t>(__builtin_ctzll(span / structures::granule_bytes));
    for (uint64_t i = 0; i < count; ++i) {
        describe(groups_[i], plan.groups()[i]);
        if (in_huge_pages && plan.groups()[i].small_pages == 0) {
            advise(groups_[i], plan.groups()[i]);
        }
    }
    count_ = static_cast<uint32_t>(count);
    return true;
}

// A group that makes no sense keeps a maximum of 0 granules, and so claims nothing.
void GroupHeap::describe(Group& group, const PlanGroup& plan) const {
    if (!platform::is_power_of_two(plan.chunk_bytes) || plan.chunk_bytes < smallest_chunk_bytes ||
        plan.chunk_bytes > largest_chunk_bytes) {
        return;
    }
    const uint64_t chunk_granules = plan.chunk_bytes / structures::granule_bytes;
    group.chunk_mask = chunk_granules - 1;
    group.first_granule = static_cast<uint64_t>(&group - groups_) << span_shift_;
    group.chunk_shift = static_cast<uint32_t>(__builtin_ctzll(chunk_granules));
    group.fresh_chunks = 1;
    group.check_at = largest(slack_bytes / plan.chunk_bytes, 2);
    const uint64_t chunks = chunks_in_span(group);
    void* tables = platform::reserve_pages(chunks * table_entry_bytes, platform::page_bytes());
    if (tables != nullptr) {
        group.living = static_cast<uint64_t*>(tables);
        group.links = reinterpret_cast<uint32_t*>(group.living + chunks);
        const uint64_t maximum = plan.maximum_bytes / structures::granule_bytes;
        group.maximum_granules = maximum < group.chunk_mask ? maximum : group.chunk_mask;
        MALLOOM_CHECK_FULL(is_valid(group));
    }
}

// A huge page is to be a quarter of what the group holds, at most: so one that is not known to become so
// large begins with small pages.
void GroupHeap::advise(const Group& group, const PlanGroup& plan) const {
    constexpr uint64_t enough = 4 * platform::huge_page_bytes;
    const uint64_t from = plan.expected_bytes >= enough ? 0 : enough;
    const uint64_t span = structures::granule_bytes << span_shift_;
    if (group.maximum_granules != 0 && from < span) {
        auto* start = static_cast<char*>(occupancy_.address(group.first_granule));
        platform::prefer_huge_pages(start + from, span - from);
    }
}

void GroupHeap::close() {
    for (uint32_t i = 0; groups_ != nullptr && i < count_; ++i) {
        if (groups_[i].living != nullptr) {
            platform::unmap_pages(groups_[i].living, chunks_in_span(groups_[i]) * table_entry_bytes);
        }
    }
    if (groups_ != nullptr) {
        platform::unmap_pages(groups_, table_bytes_);
    }
    occupancy_.close();
    *this = GroupHeap();
}

void* GroupHeap::allocate_in(Group& group, const Request& request) {
    const uint64_t granules = structures::last_granule(request.bytes) + 1;
    if (granules > group.maximum_granules || request.alignment > smallest_chunk_bytes) {
        return nullptr;
    }
    const uint64_t step = largest(request.alignment / structures::granule_bytes, 1);
    for (;;) {
        const uint64_t cursor = structures::load(group.cursor);
        const uint64_t place = cursor & cursor_granule_mask;
        const uint64_t start = platform::round_up(place, step);
        if (start + granules > (place | group.chunk_mask)) {
            if (!start_chunk(group, cursor)) {
                return nullptr;
            }
            continue;
        }
        const uint64_t objects = cursor & ~cursor_granule_mask;
        if (structures::replace(alone(), group.cursor, cursor, objects + one_object + start + granules)) {
            return claim(alone(), group, start, granules - 1);
        }
    }
}

// The cursor first: what it says was counted as taken before.
bool GroupHeap::is_valid(const Group& group) const noexcept {
    const uint64_t chunk = chunk_of(group, __atomic_load_n(&group.cursor, __ATOMIC_ACQUIRE));
    return group.chunk_mask + 1 == uint64_t{1} << group.chunk_shift &&
           group.maximum_granules <= group.chunk_mask &&
           group.first_granule == static_cast<uint64_t>(&group - groups_) << span_shift_ &&
           chunk < chunks_in_span(group) && chunk < structures::load(group.fresh_chunks);
}

// False where the group may have no more chunks. Otherwise the cursor has moved on, by this thread or
// another.
bool GroupHeap::start_chunk(Group& group, uint64_t cursor) {
    MALLOOM_CHECK_FULL(is_valid(group));
    const uint32_t chunk = take_chunk(group);
    if (chunk == IndexStack::none) {
        return structures::load(group.cursor) != cursor;
    }
    if (!structures::replace(alone(), group.cursor, cursor, uint64_t{chunk} << group.chunk_shift)) {
        put_back(group, chunk);
    } else {
        finish_chunk(group, static_cast<uint32_t>(chunk_of(group, cursor)), cursor >> cursor_granule_bits);
    }
    return true;
}

// Until here frees have only counted down; now the count says what lives, and whoever makes it 0 has the
// chunk.
void GroupHeap::finish_chunk(Group& group, uint32_t chunk, uint64_t objects) {
    if (fetch_add(alone(), group.living[chunk], objects) + objects == 0) {
        put_back(group, chunk);
    }
}

void GroupHeap::put_back(Group& group, uint32_t chunk) {
    const bool is_alone = alone();
    const uint64_t bytes = structures::granule_bytes << group.chunk_shift;
    if (fetch_add(is_alone, group.kept_chunks, 1) * bytes < kept_bytes) {
        group.kept.push(is_alone, group.links, chunk);
        return;
    }
    fetch_add(is_alone, group.kept_chunks, ~uint64_t{0});
    platform::discard_pages(occupancy_.address(group.first_granule + (uint64_t{chunk} << group.chunk_shift)),
                            bytes);
    group.discarded.push(is_alone, group.links, chunk);
}

uint32_t GroupHeap::take_chunk(Group& group) {
    const bool is_alone = alone();
    uint32_t chunk = group.kept.pop(is_alone, group.links);
    if (chunk != IndexStack::none) {
        MALLOOM_CHECK(chunk < chunks_in_span(group));
        fetch_add(is_alone, group.kept_chunks, ~uint64_t{0});
        return chunk;
    }
    chunk = group.discarded.pop(is_alone, group.links);
    if (chunk != IndexStack::none || !may_grow(group)) {
        return chunk;
    }
    const uint64_t fresh = fetch_add(is_alone, group.fresh_chunks, 1);
    return fresh < chunks_in_span(group) ? static_cast<uint32_t>(fresh) : IndexStack::none;
}

// Objects that outlive their neighbours hold whole chunks. Looked at each time the group has grown by a
// quarter, so the cost stays a fraction of the growth.
bool GroupHeap::may_grow(Group& group) {
    const uint64_t fresh = structures::load(group.fresh_chunks);
    if (__atomic_load_n(&group.is_stopped, __ATOMIC_RELAXED) || fresh >= chunks_in_span(group)) {
        return false;
    }
    if (fresh < __atomic_load_n(&group.check_at, __ATOMIC_RELAXED)) {
        return true;
    }
    const uint64_t held = fresh << group.chunk_shift;
    const uint64_t live = occupancy_.count_occupied(group.first_granule, held);
    if (held > 2 * live + slack_bytes / structures::granule_bytes) {
        __atomic_store_n(&group.is_stopped, true, __ATOMIC_RELAXED);
        return false;
    }
    __atomic_store_n(&group.check_at, fresh + fresh / 4 + 1, __ATOMIC_RELAXED);
    return true;
}

void GroupHeap::deallocate_any(void* object) {
    occupancy_.release(object, occupancy_.extent(object));
    count_gone(alone(), object);
}

// Either all objects of a chunk are gone, or as many of the chunk that is being filled as it got: then its
// count starts again, and after that its cursor. In between nobody else finds it empty. The cursor is read
// within: read before, other threads could begin the chunk again and fill it to the very same cursor.
void GroupHeap::empty_chunk(Group& group, uint32_t chunk, uint64_t gone) {
    if (gone == 0) {
        put_back(group, chunk);
        return;
    }
    if (!structures::replace(alone(), group.living[chunk], -gone, 0)) {
        return;
    }
    const uint64_t cursor = structures::load(group.cursor);
    const bool is_empty = cursor >> cursor_granule_bits == gone && chunk_of(group, cursor) == chunk;
    // Another thread may have allocated, and may even have finished the chunk.
    if ((!is_empty ||
         !structures::replace(alone(), group.cursor, cursor, uint64_t{chunk} << group.chunk_shift)) &&
        fetch_add(alone(), group.living[chunk], -gone) == gone) {
        put_back(group, chunk);
    }
}

uint32_t GroupHeap::stopped() const {
    uint32_t count = 0;
    for (uint32_t i = 0; i < count_; ++i) {
        count += __atomic_load_n(&groups_[i].is_stopped, __ATOMIC_RELAXED) ? 1 : 0;
    }
    return count;
}

}  // namespace malloom::heaps
