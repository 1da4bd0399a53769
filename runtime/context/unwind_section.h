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

/// What is known of the frame of a call.
struct FrameDescription {
    uint64_t rule = 0;      ///< the x86-64 frame rule (a FrameRule without tag), or FrameRule::end()
    uint64_t function = 0;  ///< address of the first instruction of the calling function; 0: not known
};

/// The frame of a call that returns to `return_address`. The function may be known where the rule is not. A
/// part that the compiler moved elsewhere (.cold) is a function of its own. Reads nothing outside the
/// segment, whatever the bytes are; no state, no calls.
FrameDescription describe_frame(const UnwindSection& section, uint64_t return_address);

}  // namespace malloom::context
