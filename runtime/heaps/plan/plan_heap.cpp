#include "runtime/heaps/plan/plan_heap.h"

#include "checks/check.h"
#include "runtime/heaps/plan/slot_matching.h"
#include "runtime/platform/memory.h"

namespace malloom::heaps {

namespace {

// Objects above what the C library never keeps either (its largest mmap threshold) give their pages back when
// they are freed. Smaller ones keep them: the plan puts the next object there.
constexpr size_t kept_bytes = size_t{32} << 20;

// Whether a requester's slots still fit is looked at again when so many more of its requests had none, or an
// eighth as many as had one in all: a part of a program that the plan does not know is borne, and what it
// costs to find that nothing fits any more stays a small part of what went before.
constexpr uint64_t refused_between_looks = 256;
constexpr uint64_t matched_for_a_refused = 8;

// A requester goes through its slots in stretches of so many bytes. Those of a large plan are read then, with
// what is looked at beyond them, and the pages behind it go back: they count as the program's memory.
constexpr uint64_t stretch_bytes = uint64_t{64} << 10;
constexpr uint64_t fetched_beyond = 128 * sizeof(formats::plan::PlanSlot);

uint64_t smallest(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

}  // namespace

bool PlanHeap::open(const PlanFile& plan) {
    plan_ = &plan;
    return plan.header().arena_bytes != 0 && occupancy_.open(plan.header().arena_bytes);
}

void PlanHeap::close() {
    occupancy_.close();
    *this = PlanHeap();
}

// Measured, touching included, for 100 MB: 34 ms page by page, 24 ms populated page by page, 12 ms with huge
// pages that fault as they are reached; populating huge pages at once took 17 ms, and sometimes 145. So whole
// 2 MiB parts become huge on first touch, and the rest, which must not grow to a huge page, is populated.
void PlanHeap::preallocate() {
    void* arena = occupancy_.address(0);
    const size_t bytes = occupancy_.granules() * structures::granule_bytes;
    size_t whole = platform::round_down(bytes, platform::huge_page_bytes);
    // Small arenas do not ask: it takes longer than to populate them.
    if (whole != 0 && !platform::huge_pages_are_allowed()) {
        whole = 0;
    }
    platform::prefer_huge_pages(arena, whole);
    platform::populate_pages(static_cast<char*>(arena) + whole, bytes - whole);
}

void PlanHeap::assign(PlannedContext& requester, uint64_t first_slot, uint64_t count) {
    requester.first = reinterpret_cast<uint64_t>(plan_->slots() + first_slot);
    requester.next = requester.first;
    requester.end = reinterpret_cast<uint64_t>(plan_->slots() + first_slot + count);
    requester.fast_end = requester.first;
    fetch_stretch(requester, requester.first);
    start_stretch(requester, requester.first);
}

bool PlanHeap::is_valid(const PlannedContext& requester) noexcept {
    const uint64_t next = __atomic_load_n(&requester.next, __ATOMIC_RELAXED);
    const uint64_t fast_end = __atomic_load_n(&requester.fast_end, __ATOMIC_RELAXED);
    return requester.first <= next && next <= requester.end && requester.first <= fast_end &&
           fast_end <= requester.end && (next - requester.first) % sizeof(Slot) == 0;
}

// `next` is not below fast_end. Racing threads may read the same slots, or give the same pages back, twice.
void PlanHeap::start_stretch(PlannedContext& requester, uint64_t next) {
    MALLOOM_CHECK(is_valid(requester));  // pages that it has passed go back
    const uint64_t look_ahead = prefetch_slots * sizeof(Slot);
    const bool is_short = requester.end - requester.first <= look_ahead;
    const uint64_t last = is_short ? requester.first : requester.end - look_ahead;
    const uint64_t reached = __atomic_load_n(&requester.fast_end, __ATOMIC_RELAXED);
    if (reached >= last) {
        return;
    }
    if (next != requester.first) {
        fetch_stretch(requester, next);
    }
    __atomic_store_n(&requester.fast_end, smallest(next + stretch_bytes, last), __ATOMIC_RELEASE);
    if (plan_->fetches_slots()) {
        give_back_behind(requester, reached, next);
    }
}

// What has not been read is zero, which no request has.
void PlanHeap::fetch_stretch(PlannedContext& requester, uint64_t next) {
    const uint64_t bytes = smallest(stretch_bytes + fetched_beyond, requester.end - next);
    if (!plan_->fetch_slots(reinterpret_cast<const Slot*>(next),
                            reinterpret_cast<const Slot*>(next + bytes))) {
        give_up(requester);
    }
}

// Whole pages of its own: others have slots in the first one.
void PlanHeap::give_back_behind(const PlannedContext& requester, uint64_t reached, uint64_t next) const {
    const uint64_t page = platform::page_bytes();
    const uint64_t passed = reached - smallest(stretch_bytes, reached - requester.first);
    const uint64_t begin =
        passed == requester.first ? platform::round_up(passed, page) : platform::round_down(passed, page);
    const uint64_t end = platform::round_down(next, page);
    if (begin < end) {
        platform::discard_pages(reinterpret_cast<void*>(begin), end - begin);
    }
}

bool PlanHeap::resize(void* object, const Request& request) {
    const uint64_t wanted = structures::last_granule(request.bytes) + 1;
    const uint64_t taken = __atomic_load_n(&request.requester->next, __ATOMIC_RELAXED);
    if (taken >= request.requester->end) {
        return fits_room(wanted, occupancy_.extent(object));
    }
    const Slot slot = *reinterpret_cast<const Slot*>(taken);
    if (slot.granules != wanted || slot.start != occupancy_.granule_of(object) ||
        !occupancy_.resize(object, wanted)) {
        return false;
    }
    // Where another thread took the slot meanwhile, the object has the room nevertheless.
    structures::replace(structures::alone(), request.requester->next, taken, taken + sizeof(Slot));
    return true;
}

// The slot at `next` is for requests of this size.
void* PlanHeap::allocate_next(const Request& request, uint64_t next) {
    PlannedContext& requester = *request.requester;
    const bool is_alone = structures::alone();
    if (!structures::replace(is_alone, requester.next, next, next + sizeof(Slot))) [[unlikely]] {
        return allocate(request);  // another thread has it
    }
    const Slot slot = *reinterpret_cast<const Slot*>(next);
    if (slot.start == formats::plan::no_slot) {
        count_unused(requester, 1);
        return nullptr;
    }
    const uint64_t last = last_granule(next);
    if (!is_aligned(slot.start, request.alignment) || !occupancy_.claim(is_alone, slot.start, last)) {
        count_unused(requester, 1);
        count_refused(requester);
        return nullptr;
    }
    if (next < __atomic_load_n(&requester.fast_end, __ATOMIC_ACQUIRE)) {
        prefetch(next + prefetch_slots * sizeof(Slot));
    }
    return occupancy_.address(slot.start);
}

// The requester's next slot is for requests of another size.
void* PlanHeap::allocate_again(const Request& request) {
    PlannedContext& requester = *request.requester;
    const uint64_t next = __atomic_load_n(&requester.next, __ATOMIC_RELAXED);
    const uint64_t granules = structures::last_granule(request.bytes) + 1;
    MALLOOM_CHECK(is_valid(requester));
    if (next == requester.end) {
        return count_exhausted(requester);  // it was given up just now
    }
    const Slot* found = find_slot_again(requester, granules);
    if (found == nullptr) {
        count_refused(requester);
        return nullptr;
    }
    const auto at = reinterpret_cast<uint64_t>(found);
    if (structures::replace(structures::alone(), requester.next, next, at)) {
        MALLOOM_CHECK_FULL(is_valid(requester));
        count_unused(requester, (at - next) / sizeof(Slot));
    }
    return allocate(request);
}

// Racing threads may lose a count.
void PlanHeap::count_unused(PlannedContext& requester, uint64_t slots) const {
    const uint32_t before = __atomic_load_n(&requester.unused, __ATOMIC_RELAXED);
    __atomic_store_n(&requester.unused, before + static_cast<uint32_t>(slots), __ATOMIC_RELAXED);
}

// Racing threads may look twice, or late.
void PlanHeap::note_refused(PlannedContext& requester, uint32_t first_look) {
    const uint32_t now = __atomic_load_n(&requester.refused, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&requester.refused, now, __ATOMIC_RELAXED);
    const uint32_t look_at = __atomic_load_n(&requester.look_at, __ATOMIC_RELAXED);
    if (now >= first_look && now >= look_at) {
        look_at_share(requester, now);
    }
}

// Given up where, since the last look, less than half as many had a slot as had none.
void PlanHeap::look_at_share(PlannedContext& requester, uint32_t refused) {
    const uint64_t next = __atomic_load_n(&requester.next, __ATOMIC_RELAXED);
    const uint64_t passed = (next - requester.first) / sizeof(Slot);
    const uint64_t matched = passed - smallest(passed, __atomic_load_n(&requester.unused, __ATOMIC_RELAXED));
    const uint64_t before = __atomic_load_n(&requester.matched_before, __ATOMIC_RELAXED);
    const uint64_t lately = matched - smallest(matched, before);
    if (2 * lately < refused - __atomic_load_n(&requester.refused_before, __ATOMIC_RELAXED)) {
        give_up(requester);
    }
    const uint64_t more = matched / matched_for_a_refused;
    const auto note = [](uint32_t& word, uint64_t value) {
        __atomic_store_n(&word, static_cast<uint32_t>(value), __ATOMIC_RELAXED);
    };
    note(requester.look_at, refused + (more > refused_between_looks ? more : refused_between_looks));
    note(requester.refused_before, refused);
    note(requester.matched_before, matched);
}

void PlanHeap::give_up(PlannedContext& requester) {
    __atomic_store_n(&requester.next, requester.end, __ATOMIC_RELAXED);
    __atomic_fetch_add(&given_up_, 1, __ATOMIC_RELAXED);
}

void PlanHeap::release_any(void* object) {
    if (occupancy_.release_in_two_words(object)) {
        return;
    }
    const uint64_t granules = occupancy_.extent(object);
    const size_t bytes = granules * structures::granule_bytes;
    if (bytes >= kept_bytes) {
        const uintptr_t begin = reinterpret_cast<uintptr_t>(object);
        const uintptr_t start = platform::round_up(begin, platform::page_bytes());
        const uintptr_t end = platform::round_down(begin + bytes, platform::page_bytes());
        platform::discard_pages(reinterpret_cast<void*>(start), end - start);
    }
    occupancy_.release(object, granules);
}

}  // namespace malloom::heaps
