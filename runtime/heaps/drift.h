// Runs differ from the recording by a few requests: an environment variable more, a name that is longer. The
// sizes of requests tell where in its slots a requester goes on then.
#pragma once

#include "runtime/heaps/heap.h"

namespace malloom::heaps {

/// The slot of a request of `granules` that the requester's next slot is not for; nullptr if it has none.
/// At first the requester waits where it is: the run makes a request that the recorded one did not. It goes
/// on further ahead, by less than `window` slots, where two such requests in a row fit two slots in a row
/// (the run leaves out some), and one slot ahead where the second request fits that one (the first had
/// another size). Threads that share a requester may lose a note.
const formats::plan::PlanSlot* find_slot_again(Requester& requester, uint64_t granules, uint64_t window);

}  // namespace malloom::heaps
