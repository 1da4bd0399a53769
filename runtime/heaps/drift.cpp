#include "runtime/heaps/drift.h"

namespace malloom::heaps {

using formats::plan::PlanSlot;

namespace {

const PlanSlot* find_pair(const PlanSlot* from, const PlanSlot* end, uint64_t before, uint64_t granules) {
    for (const PlanSlot* slot = from; slot < end; ++slot) {
        if (slot[-1].granules == before && slot->granules == granules) {
            return slot;
        }
    }
    return nullptr;
}

}  // namespace

const PlanSlot* find_slot_again(Requester& requester, uint64_t granules, uint64_t window) {
    const uint64_t next = __atomic_load_n(&requester.next, __ATOMIC_RELAXED);
    const uint64_t before = __atomic_load_n(&requester.unmatched_before, __ATOMIC_RELAXED);
    const PlanSlot* found = nullptr;
    if (before != 0 && next < requester.end) {
        const auto* slot = reinterpret_cast<const PlanSlot*>(next);
        const uint64_t left = (requester.end - next) / sizeof(PlanSlot);
        const PlanSlot* end = slot + (left < window ? left : window);
        found =
            left > 1 && slot[1].granules == granules ? slot + 1 : find_pair(slot + 1, end, before, granules);
    }
    const uint64_t note = found == nullptr && granules <= UINT32_MAX ? granules : 0;
    __atomic_store_n(&requester.unmatched_before, static_cast<uint32_t>(note), __ATOMIC_RELAXED);
    return found;
}

}  // namespace malloom::heaps
