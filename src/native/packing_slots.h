// Slots: memory that requests share one after the other. The one place where freed memory is reused in a
// plan.
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
    std::span<const uint32_t> context;
    std::span<const uint64_t> accesses;
};

struct Slots {
    static constexpr uint32_t none = UINT32_MAX;

    std::vector<uint32_t> of_request;  ///< slot of every request; none: too large for a slot
    std::vector<uint32_t> granules;    ///< room of every slot, in granules of 16 bytes
    std::vector<uint32_t> alignment;   ///< of every slot, in granules
    std::vector<uint32_t>
        heaviest;  ///< of every slot: its occupant with the most accesses, the first on a tie
};

/// Granules of 16 bytes that a request of `size` bytes needs.
constexpr uint64_t granules_of(uint64_t size) {
    return size == 0 ? 1 : (size + 15) / 16;
}

/// Gives every request of at most `maximum_bytes` a slot: a free one of the same room and alignment, by
/// preference the one that its context freed last, else a new one. So the slots' bytes are the sum over the
/// sizes of each size's peak. O(n log n). Throws std::invalid_argument where the columns differ in length or
/// births do not ascend.
Slots form_slots(const PackedRequests& requests, uint64_t maximum_bytes);

}  // namespace malloom::native
