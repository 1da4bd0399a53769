#include "runtime/heaps/plan/group_heap.h"

#include "checks/check.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"

namespace malloom::heaps {

using formats::plan::PlanGroup;
using structures::alone;
using structures::fetch_add;
using structures::IndexStack;

namespace {

// Addresses for all groups together, and for one at most.
constexpr uint64_t all_spans_bytes = uint64_t{1} << 38;
constexpr uint64_t largest_span_bytes = uint64_t{16} << 30;
constexpr uint64_t smallest_chunk_bytes = uint64_t{4} << 10;
constexpr uint64_t largest_chunk_bytes = uint64_t{16} << 20;
constexpr uint64_t smallest_span_bytes = 2 * largest_chunk_bytes;
constexpr uint64_t most_groups = 4096;
static_assert(most_groups * smallest_span_bytes <= all_spans_bytes);

// Empty chunks that keep their pages, of each group.
constexpr uint64_t kept_bytes = uint64_t{1} << 20;
// What a group may hold beyond twice of what lives in it.
constexpr uint64_t slack_bytes = uint64_t{1} << 20;

// Of memory that a group gets at once: of objects, of their occupancy's bits (4 MiB of objects), of tables.
constexpr size_t objects_step = platform::huge_page_bytes;
constexpr size_t bits_step = size_t{64} << 10;
constexpr size_t bits_share =
    structures::Occupancy::word_granules * structures::granule_bytes / sizeof(uint64_t);

// After so many the group stops. One may be a signal handler's that came just then.
constexpr unsigned most_refusals = 8;

uint64_t largest(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

}  // namespace

bool GroupHeap::open(const PlanFile& plan, bool in_huge_pages) {
    const uint64_t count = plan.header().groups_count;
    if (count == 0 || count > most_groups || !open_spans(count)) {
        return false;
    }
    if (!open_memory(count)) {
        close();
        return false;
    }
    for (uint64_t i = 0; i < count; ++i) {
        const PlanGroup& planned = plan.groups()[i];
        describe(groups_[i], planned);
        const bool is_huge = in_huge_pages && planned.small_pages == 0;
        memory_[i].huge_from = is_huge ? huge_from(planned) : structures::granule_bytes << span_shift_;
    }
    count_ = static_cast<uint32_t>(count);
    return true;
}

// Each group's share of the objects and of the bits, of the living and of the links of its smallest chunks.
bool GroupHeap::open_spans(uint64_t count) {
    const size_t huge = platform::huge_page_bytes;
    uint64_t span = largest_span_bytes;
    while (span * count > all_spans_bytes) {
        span /= 2;
    }
    for (; span >= smallest_span_bytes; span /= 2) {
        const uint64_t tables = span / smallest_chunk_bytes * (sizeof(uint64_t) + sizeof(uint32_t));
        if (span_.open(count * (span + span / bits_share + tables) + 2 * huge)) {
            span_shift_ = static_cast<uint32_t>(__builtin_ctzll(span / structures::granule_bytes));
            return true;
        }
    }
    return false;
}

// Objects of all groups follow one another, and so do the bits.
bool GroupHeap::open_memory(uint64_t count) {
    const size_t page = platform::page_bytes();
    const uint64_t span = structures::granule_bytes << span_shift_;
    const uint64_t chunks = span / smallest_chunk_bytes;
    const uint64_t groups_bytes = count * sizeof(Group);
    table_bytes_ = platform::round_up(groups_bytes + count * sizeof(Memory), page);
    groups_ = static_cast<Group*>(platform::map_pages(table_bytes_));
    if (groups_ == nullptr) {
        return false;
    }
    memory_ = reinterpret_cast<Memory*>(reinterpret_cast<char*>(groups_) + groups_bytes);
    bool is_open = true;
    for (uint64_t i = 0; i < count; ++i) {
        is_open = is_open && memory_[i].objects.open(span_, span, platform::huge_page_bytes, objects_step);
    }
    for (uint64_t i = 0; i < count; ++i) {
        is_open = is_open && memory_[i].bits.open(span_, span / bits_share, page, bits_step) &&
                  memory_[i].bits.base() == memory_[0].bits.base() + i * (span / bits_share);
    }
    for (uint64_t i = 0; i < count; ++i) {
        is_open = is_open && memory_[i].living.open(span_, chunks * sizeof(uint64_t), page, page) &&
                  memory_[i].links.open(span_, chunks * sizeof(uint32_t), page, page);
    }
    occupancy_.open(memory_[0].objects.base(), reinterpret_cast<uint64_t*>(memory_[0].bits.base()),
                    count << span_shift_);
    return is_open;
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
    // As if a chunk were full, of nothing: the first request takes chunk 0, and nothing is mapped before.
    group.cursor = group.chunk_mask;
    group.check_at = largest(slack_bytes / plan.chunk_bytes, 2);
    const Memory& memory = memory_[&group - groups_];
    group.living = reinterpret_cast<uint64_t*>(memory.living.base());
    group.links = reinterpret_cast<uint32_t*>(memory.links.base());
    const uint64_t maximum = plan.maximum_bytes / structures::granule_bytes;
    group.maximum_granules = maximum < group.chunk_mask ? maximum : group.chunk_mask;
    MALLOOM_CHECK_FULL(is_valid(group));
}

// A huge page is to be a quarter of what the group holds, at most: so one that is not known to become so
// large begins with small pages.
uint64_t GroupHeap::huge_from(const PlanGroup& plan) const {
    constexpr uint64_t enough = 4 * platform::huge_page_bytes;
    return plan.expected_bytes >= enough ? 0 : enough;
}

void GroupHeap::close() {
    for (uint32_t i = 0; i < count_; ++i) {
        Memory& memory = memory_[i];
        memory.objects.close();
        memory.bits.close();
        memory.living.close();
        memory.links.close();
    }
    if (groups_ != nullptr) {
        platform::unmap_pages(groups_, table_bytes_);
    }
    span_.close();
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
    const uint64_t cursor = __atomic_load_n(&group.cursor, __ATOMIC_ACQUIRE);
    const uint64_t chunk = chunk_of(group, cursor);
    return group.chunk_mask + 1 == uint64_t{1} << group.chunk_shift &&
           group.maximum_granules <= group.chunk_mask &&
           group.first_granule == static_cast<uint64_t>(&group - groups_) << span_shift_ &&
           chunk < chunks_in_span(group) &&
           (chunk < structures::load(group.fresh_chunks) || cursor == group.chunk_mask);
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
    } else if (cursor >> cursor_granule_bits != 0) {
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
    for (;;) {
        const uint64_t fresh = structures::load(group.fresh_chunks);
        if (!reach(group, fresh + 1)) {
            return IndexStack::none;
        }
        if (structures::replace(is_alone, group.fresh_chunks, fresh, fresh + 1)) {
            return static_cast<uint32_t>(fresh);
        }
    }
}

// Before any of it is counted as fresh. The span's last chunk stays unused: behind its bits lie those of the
// next group, and who looks for an object's end looks a word further.
bool GroupHeap::reach(Group& group, uint64_t chunks) {
    if (chunks >= chunks_in_span(group)) {
        return false;
    }
    Memory& memory = memory_of(group);
    const uint64_t bytes = (chunks << group.chunk_shift) * structures::granule_bytes;
    const uint64_t had = memory.objects.usable();
    if (!memory.bits.reach(bytes / bits_share + sizeof(uint64_t)) ||
        !memory.living.reach(chunks * sizeof(uint64_t)) || !memory.links.reach(chunks * sizeof(uint32_t)) ||
        !memory.objects.reach(bytes)) {
        if (__atomic_add_fetch(&group.refusals, 1, __ATOMIC_RELAXED) >= most_refusals) {
            __atomic_store_n(&group.is_stopped, true, __ATOMIC_RELAXED);
        }
        return false;
    }
    __atomic_store_n(&group.refusals, 0, __ATOMIC_RELAXED);
    const uint64_t from = largest(had, memory.huge_from), usable = memory.objects.usable();
    if (from < usable) {
        platform::prefer_huge_pages(reinterpret_cast<void*>(memory.objects.base() + from), usable - from);
    }
    return true;
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

uint64_t GroupHeap::extent(const void* object) const {
    if (!is_reached(object)) {
        platform::abort_with("free(): double free or invalid pointer");
    }
    return occupancy_.extent(object);
}

void GroupHeap::deallocate_any(void* object) {
    if (!is_reached(object) || !occupancy_.release_in_two_words(object)) {
        occupancy_.release(object, extent(object));
    }
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
