// Which of a requester's slots a request is for, where it is not simply the next one. Runs differ from the
// recording by a few requests: an environment variable more, a name that is longer. The sizes of requests
// tell where in its slots a requester goes on then.
#pragma once

#include "runtime/heaps/plan/planned_context.h"

namespace malloom::heaps {

/// The slot of a request of `granules` that the requester's next slot is not for; nullptr if it has none.
/// At first the requester waits where it is: the run makes a request that the recorded one did not. It goes
/// on one slot ahead where the request after that fits that one (the first had another size), and further
/// ahead where requests in a row fit slots in a row (the run leaves out some): two for the nearest slots, up
/// to four for the farthest, as common sizes fit by chance. Threads that share a requester may lose a size.
const formats::plan::PlanSlot* find_slot_again(PlannedContext& requester, uint64_t granules);

/// Matching by exact sequence: the n-th request of a thread belongs to the n-th slot of its sequence, told by
/// its size. Whether the thread's next slot is for a request of `bytes`; its requester's next slot is then
/// that one (find_slot_again says where it goes on after a mismatch). The requester is used by its thread
/// alone.
bool advance_sequence(PlannedContext& requester, size_t bytes);

}  // namespace malloom::heaps
