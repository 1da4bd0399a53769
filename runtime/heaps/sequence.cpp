#include "runtime/heaps/sequence.h"

#include "runtime/structures/occupancy.h"

namespace malloom::heaps {

namespace {

using formats::plan::PlanSlot;

// How far the run may have left the recording and still be found again.
constexpr uint64_t look_ahead_slots = 64;

const PlanSlot* find_pair(const PlanSlot* next, const PlanSlot* end, uint64_t before, uint64_t wanted) {
    const PlanSlot* last =
        end - next > static_cast<int64_t>(look_ahead_slots) ? next + look_ahead_slots : end;
    for (const PlanSlot* slot = next + 1; slot < last; ++slot) {
        if (slot[-1].granules == before && slot->granules == wanted) {
            return slot;
        }
    }
    return nullptr;
}

}  // namespace

bool advance_sequence(ThreadSequence& sequence, size_t bytes) {
    Requester& requester = sequence.requester;
    if (requester.next >= requester.end) {
        return false;
    }
    const auto* next = reinterpret_cast<const PlanSlot*>(requester.next);
    const auto* end = reinterpret_cast<const PlanSlot*>(requester.end);
    const uint64_t wanted = structures::last_granule(bytes) + 1;
    if (next->granules == wanted) {
        sequence.unmatched_before = 0;
        sequence.unmatched_in_a_row = 0;
        return true;
    }
    const PlanSlot* found =
        sequence.unmatched_before != 0 ? find_pair(next, end, sequence.unmatched_before, wanted) : nullptr;
    sequence.unmatched_before = found != nullptr ? 0 : wanted;
    sequence.unmatched_in_a_row = found != nullptr ? 0 : sequence.unmatched_in_a_row + 1;
    requester.next = found != nullptr ? reinterpret_cast<uint64_t>(found) : requester.next;
    return found != nullptr;
}

}  // namespace malloom::heaps
