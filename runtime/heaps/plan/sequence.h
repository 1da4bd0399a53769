// Matching by exact sequence: the n-th request of a thread belongs to the n-th slot of its sequence, told by
// its size.
#pragma once

#include "runtime/heaps/plan/requester.h"

namespace malloom::heaps {

/// Where one thread is in its sequence. Used by its thread alone.
struct ThreadSequence {
    uint64_t unmatched_in_a_row = 0;
};

/// Requests in a row that a sequence does not match before it is worth giving up: each costs a search.
constexpr uint64_t sequence_patience = 4096;

/// Whether the thread's next slot is for a request of `bytes`; its requester's next slot is then that one
/// (drift.h says where it goes on after a mismatch).
bool advance_sequence(ThreadSequence& sequence, Requester& requester, size_t bytes);

}  // namespace malloom::heaps
