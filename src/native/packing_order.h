// From an order of the requests to an address for each.
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

#include "src/native/packing_slots.h"

namespace malloom::native {

/// How slots meet cache lines.
enum class LineRule : uint8_t {
    packed,    ///< one slot right after the other
    unbroken,  ///< a slot that fits a line does not cross one
    separate   ///< every slot begins a line (thesis, section 4.8)
};

struct PackingRule {
    LineRule lines = LineRule::packed;
    uint64_t line_bytes = 64;  ///< a power of two of at least 16
};

struct Placement {
    std::vector<int64_t> offset;  ///< of every request, bytes from the arena's start; -1: no slot
    uint64_t arena_bytes = 0;     ///< a multiple of 16
};

/// Lays the slots out in the order in which `order` names their heaviest occupants; slots that it does not
/// name follow in time order. O(n). Throws std::invalid_argument where a request is named twice or does not
/// exist, and std::length_error where the arena would exceed 64 GiB.
Placement place_in_order(const Slots& slots, std::span<const uint32_t> order, const PackingRule& rule);

}  // namespace malloom::native
