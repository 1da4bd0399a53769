#include "runtime/heaps/plan/slot_matching.h"

#include "runtime/structures/occupancy.h"

namespace malloom::heaps {

using formats::plan::PlanSlot;

namespace {

// Of the sizes of a requester's unmatched requests, in one word, the last one lowest.
constexpr unsigned size_bits = 16;
constexpr uint64_t size_mask = (uint64_t{1} << size_bits) - 1;
constexpr uint64_t most_sizes = 4;

// How far ahead is searched with so many requests in a row that fit.
constexpr uint64_t reach[most_sizes + 1] = {0, 0, 4, 16, 64};

// How many requests, from the last one backwards, fit the slots from this one backwards, not beyond `first`.
uint64_t fitting(const PlanSlot* slot, const PlanSlot* first, uint64_t sizes) {
    uint64_t count = 0;
    for (; count < most_sizes && slot >= first && slot->granules == (sizes & size_mask); --slot) {
        sizes >>= size_bits;
        ++count;
    }
    return count;
}

const PlanSlot* find_ahead(const PlanSlot* next, uint64_t left, uint64_t sizes) {
    uint64_t known = 0;
    for (uint64_t rest = sizes; rest != 0; rest >>= size_bits) {
        ++known;
    }
    if (known >= 2 && left > 1 && next[1].granules == (sizes & size_mask)) {
        return next + 1;
    }
    for (uint64_t ahead = 2; ahead <= reach[known] && ahead < left; ++ahead) {
        const uint64_t count = fitting(next + ahead, next, sizes);
        if (ahead <= reach[count]) {
            return next + ahead;
        }
    }
    return nullptr;
}

}  // namespace

const PlanSlot* find_slot_again(PlannedContext& requester, uint64_t granules) {
    const uint64_t next = __atomic_load_n(&requester.next, __ATOMIC_RELAXED);
    if (next >= requester.end) {
        return nullptr;
    }
    // What did not match elsewhere is of a mismatch that is over.
    const auto at = static_cast<uint32_t>(next / sizeof(PlanSlot));
    const bool is_waiting = __atomic_load_n(&requester.waiting_at, __ATOMIC_RELAXED) == at;
    const uint64_t before = is_waiting ? __atomic_load_n(&requester.unmatched, __ATOMIC_RELAXED) : 0;
    // Larger ones fit no slot.
    const uint64_t sizes = before << size_bits | (granules < size_mask ? granules : size_mask);
    const PlanSlot* found =
        find_ahead(reinterpret_cast<const PlanSlot*>(next), (requester.end - next) / sizeof(PlanSlot), sizes);
    __atomic_store_n(&requester.unmatched, found != nullptr ? 0 : sizes, __ATOMIC_RELAXED);
    __atomic_store_n(&requester.waiting_at, at, __ATOMIC_RELAXED);
    return found;
}

bool advance_sequence(PlannedContext& requester, size_t bytes) {
    if (requester.next >= requester.end) {
        return false;
    }
    const auto* next = reinterpret_cast<const PlanSlot*>(requester.next);
    const uint64_t wanted = structures::last_granule(bytes) + 1;
    if (next->granules == wanted) {
        return true;
    }
    const PlanSlot* found = find_slot_again(requester, wanted);
    if (found == nullptr) {
        return false;
    }
    requester.unused += static_cast<uint32_t>(found - next);
    requester.next = reinterpret_cast<uint64_t>(found);
    return true;
}

}  // namespace malloom::heaps
