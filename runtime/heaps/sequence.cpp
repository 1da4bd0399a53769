#include "runtime/heaps/sequence.h"

#include "runtime/heaps/drift.h"
#include "runtime/structures/occupancy.h"

namespace malloom::heaps {

namespace {

using formats::plan::PlanSlot;

// How far the run may have left the recording and still be found again.
constexpr uint64_t look_ahead_slots = 64;

}  // namespace

bool advance_sequence(ThreadSequence& sequence, size_t bytes) {
    Requester& requester = sequence.requester;
    if (requester.next >= requester.end) {
        return false;
    }
    const auto* next = reinterpret_cast<const PlanSlot*>(requester.next);
    const uint64_t wanted = structures::last_granule(bytes) + 1;
    if (next->granules == wanted) {
        requester.unmatched_before = 0;
        sequence.unmatched_in_a_row = 0;
        return true;
    }
    const PlanSlot* found = find_slot_again(requester, wanted, look_ahead_slots);
    sequence.unmatched_in_a_row = found != nullptr ? 0 : sequence.unmatched_in_a_row + 1;
    requester.next = found != nullptr ? reinterpret_cast<uint64_t>(found) : requester.next;
    return found != nullptr;
}

}  // namespace malloom::heaps
