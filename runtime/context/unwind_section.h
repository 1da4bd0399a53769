// Finds what .eh_frame says about an address.
#pragma once

#include <stdint.h>

#include "runtime/context/byte_reader.h"

namespace malloom::context {

/// The unwind tables of one loaded object, inside one readable segment.
struct UnwindSection {
    MemoryImage segment;  ///< holds .eh_frame_hdr and .eh_frame
    uint64_t header = 0;  ///< address of .eh_frame_hdr
};

/// The x86-64 frame rule (a FrameRule without tag) for a call that returns to `return_address`, or
/// FrameRule::end(). Reads nothing outside the segment, whatever the bytes are; no state, no calls.
uint64_t find_frame_rule(const UnwindSection& section, uint64_t return_address);

}  // namespace malloom::context
