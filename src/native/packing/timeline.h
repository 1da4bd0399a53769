// Births and deaths of requests in time order, and which requests make a generation.
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

namespace malloom::native {

/// What packing needs to know of the requests: columns of equal length, one entry per request in time order.
struct PackedRequests {
    std::span<const uint64_t> birth;      ///< ticket, ascending
    std::span<const uint64_t> death;      ///< ticket; UINT64_MAX: never
    std::span<const uint64_t> size;       ///< bytes
    std::span<const uint32_t> alignment;  ///< bytes, a power of two; 0: the default
    std::span<const uint64_t> accesses;
};

/// Granules of 16 bytes that a request of `size` bytes needs.
constexpr uint64_t granules_of(uint64_t size) {
    return size == 0 ? 1 : (size + 15) / 16;
}

/// What is packed, once for all strategies.
struct Timeline {
    static constexpr uint8_t passing = 255;   ///< generation of requests that belong to none
    static constexpr uint8_t unplaced = 254;  ///< generation of requests that are too large for a place

    std::vector<uint32_t> events;     ///< 2 * request for its birth, and + 1 for its death; no unplaced ones
    std::vector<bool> adjacent;       ///< of every event: a birth with the ticket right after a death's
    std::vector<uint32_t> granules;   ///< of every request
    std::vector<uint32_t> alignment;  ///< of every request, in granules
    std::vector<uint8_t> generation;  ///< of every request
    uint64_t pivot = 0;               ///< events before which generation 0 is alive together
    uint8_t generations = 0;
};

/// Orders births and deaths, and forms up to `most` generations (at most 32). A generation is all requests
/// that are alive together at one moment and in no earlier generation. The moment is the one at which the
/// live requests have the most accesses (bytes, where nothing has accesses); the next generations are
/// sought before and after it, and so on, as long as they matter. O(n log n + most * n). Throws
/// std::invalid_argument where the columns differ in length, births do not ascend, or a death is not after
/// its birth.
Timeline form_timeline(const PackedRequests& requests, uint64_t maximum_bytes, unsigned most);

}  // namespace malloom::native
