// A profile's requests, made once more of a bin heap.
#pragma once

#include <cstdint>
#include <span>

namespace malloom::native {

/// What a program did, in order. Bytes and alignment (0: the default) for each request; of the events those
/// that are not negative are requests, by number, and the others frees: the number's complement.
struct RecordedRequests {
    std::span<const uint64_t> sizes;
    std::span<const uint32_t> alignments;
    std::span<const int64_t> events;
};

struct ReplayedBins {
    uint64_t most_held;  ///< bytes from the region's begin to the end of the furthest object, ever
    uint64_t steps;      ///< to a next chunk of a list
    uint64_t failures;   ///< requests that got nothing
    bool is_whole;       ///< the heap, in the end
};

/// Replays them into a heap of this machine, over one region of so many bytes. `begins`: of its bins; empty
/// for the original ones. Throws std::bad_alloc where there are no such addresses, std::invalid_argument
/// where the heap cannot have these bins or an event is of no request.
ReplayedBins replay_bins(const RecordedRequests& recorded, std::span<const uint32_t> begins,
                         uint64_t region_bytes, bool is_bounded);

}  // namespace malloom::native
