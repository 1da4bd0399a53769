#include "runtime/heaps/plan/sequence.h"

#include "runtime/heaps/plan/drift.h"
#include "runtime/structures/occupancy.h"

namespace malloom::heaps {

using formats::plan::PlanSlot;

bool advance_sequence(ThreadSequence& sequence, Requester& requester, size_t bytes) {
    if (requester.next >= requester.end) {
        return false;
    }
    const auto* next = reinterpret_cast<const PlanSlot*>(requester.next);
    const uint64_t wanted = structures::last_granule(bytes) + 1;
    if (next->granules == wanted) {
        sequence.unmatched_in_a_row = 0;
        return true;
    }
    const PlanSlot* found = find_slot_again(requester, wanted);
    sequence.unmatched_in_a_row = found != nullptr ? 0 : sequence.unmatched_in_a_row + 1;
    requester.next = found != nullptr ? reinterpret_cast<uint64_t>(found) : requester.next;
    return found != nullptr;
}

}  // namespace malloom::heaps
