// A profile's requests, made once more of a bin heap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
    std::vector<uint64_t> insertions;  ///< of free chunks, for each bin
};

/// The heap to replay them into, of this machine and over one region.
struct ReplayHeap {
    std::span<const uint32_t> begins;  ///< of its bins; empty for the original ones
    uint64_t region_bytes;
    uint32_t alignment;  ///< of its objects; 0: as malloc's
    bool is_bounded;
};

/// Replays them. Throws std::bad_alloc where there are no such addresses, std::invalid_argument
/// where the heap cannot have these bins or an event is of no request.
ReplayedBins replay_bins(const RecordedRequests& recorded, const ReplayHeap& wanted);

}  // namespace malloom::native
