// From an order of the requests to an address for each.
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

#include "src/native/packing/timeline.h"

namespace malloom::native {

/// How requests meet cache lines.
enum class LineRule : uint8_t {
    packed,    ///< one right after the other
    unbroken,  ///< what fits a line does not cross one
    separate   ///< each begins a line, and has its lines for itself (thesis, section 4.8)
};

struct PackingRule {
    LineRule lines = LineRule::packed;
    uint64_t line_bytes = 64;  ///< a power of two of at least 16
};

struct Placement {
    std::vector<int64_t> offset;  ///< of every request, bytes from the arena's start; -1: no place
    uint64_t arena_bytes = 0;     ///< a multiple of 16
};

/// Whether each request of the timeline has a place in the arena, and no two that are alive at the same time
/// overlap. O(n log n).
bool is_valid(const Timeline& timeline, const Placement& placement);

/// Gives the requests addresses; those of two whose lives do not overlap may overlap.
///
/// A generation lies in one piece, in the order in which `order` names its requests; requests that it does
/// not name follow in time order. The first generation begins the arena. From the moment at which all of it
/// is alive, one sweep goes forward and one backward in time, and places the other generations and the
/// passing requests in what is free, as an allocator would: so nothing need be known of the lives of what is
/// placed already. A request born right after a death takes that place where it fits, as realloc and loops
/// do; else one that does not overlap it, since realloc needs both. Linear. Throws std::invalid_argument
/// where a request is named twice or does not exist, and std::length_error where the arena would exceed 64
/// GiB.
Placement place_in_order(const Timeline& timeline, std::span<const uint32_t> order, const PackingRule& rule);

}  // namespace malloom::native
