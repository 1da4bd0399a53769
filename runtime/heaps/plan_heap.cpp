#include "runtime/heaps/plan_heap.h"

#include "runtime/platform/memory.h"

namespace malloom::heaps {

namespace {

// Objects above what the C library never keeps either (its largest mmap threshold) give their pages back when
// they are freed. Smaller ones keep them: the plan puts the next object there.
constexpr size_t kept_bytes = size_t{32} << 20;

// A requester is given up when so many of its slots did not fit, and not one in eight did.
constexpr uint32_t patience = 256;
constexpr uint32_t least_matched = 8;

}  // namespace

bool PlanHeap::open(const PlanFile& plan) {
    slots_ = plan.slots();
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

void PlanHeap::assign(Requester& requester, uint64_t first_slot, uint64_t count) const {
    requester.first = reinterpret_cast<uint64_t>(slots_ + first_slot);
    requester.next = requester.first;
    requester.end = reinterpret_cast<uint64_t>(slots_ + first_slot + count);
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

// The requester's next slot, which fits but lies in two words, or is taken.
void* PlanHeap::allocate_spanning(Slot slot, Requester& requester) {
    if (slot.granules == 0 || !occupancy_.claim_words(slot.start, slot.granules - 1)) {
        return nullptr;
    }
    prefetch_ahead(requester, requester.next);
    requester.next += sizeof(Slot);
    return occupancy_.address(slot.start);
}

// Racing threads may lose a count.
void* PlanHeap::note_refused(Requester& requester, Slot slot) {
    const bool has_place = slot.start != formats::plan::no_slot;
    uint32_t& count = has_place ? requester.refused : requester.placeless;
    const uint32_t now = __atomic_load_n(&count, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&count, now, __ATOMIC_RELAXED);
    if (has_place && now % patience == 0) {
        const uint64_t asked =
            (__atomic_load_n(&requester.next, __ATOMIC_RELAXED) - requester.first) / sizeof(Slot);
        const uint64_t placeless = __atomic_load_n(&requester.placeless, __ATOMIC_RELAXED);
        if (asked < placeless + now + now / least_matched) {
            give_up(requester);
        }
    }
    return nullptr;
}

void PlanHeap::give_up(Requester& requester) {
    __atomic_store_n(&requester.next, requester.end, __ATOMIC_RELAXED);
    __atomic_fetch_add(&given_up_, 1, __ATOMIC_RELAXED);
}

void PlanHeap::release_any(void* object) {
    if (occupancy_.release_pair(object)) {
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
