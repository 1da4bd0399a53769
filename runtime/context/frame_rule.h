// How to step from a frame to its caller on x86-64, in one word.
#pragma once

#include <stdint.h>

namespace malloom::context {

/// The canonical frame address (CFA) is the stack pointer before the call that made the frame: the return
/// address lies 8 bytes below it. A rule says where it is, given the registers at one return address, and
/// where the caller's rbp was saved. It shares its word with a tag of rule_tag_bits, so that a cache entry is
/// one load.
struct FrameRule {
    static constexpr unsigned tag_bits = 33;
    static constexpr unsigned base_shift = 33;  // 1 bit: 0 rsp, 1 rbp
    static constexpr unsigned saved_shift =
        34;  // 8 bits: rbp lies this many words below the CFA; 0 = unchanged
    static constexpr unsigned offset_shift =
        42;  // 22 bits: CFA = base + this many words; 0 = nothing is known
    static constexpr uint64_t max_saved_words = (1U << (offset_shift - saved_shift)) - 1;
    static constexpr uint64_t max_offset_words = (1U << (64 - offset_shift)) - 1;

    /// The walk ends here.
    static constexpr uint64_t end() { return 0; }

    static constexpr uint64_t make(bool from_frame_pointer, uint64_t offset_words, uint64_t saved_words) {
        return offset_words << offset_shift | saved_words << saved_shift |
               uint64_t{from_frame_pointer} << base_shift;
    }
    static constexpr uint64_t tag(uint64_t word) { return word & ((uint64_t{1} << tag_bits) - 1); }
    static constexpr bool from_frame_pointer(uint64_t word) { return (word >> base_shift & 1) != 0; }
    static constexpr uint64_t saved_bytes(uint64_t word) {
        return (word >> saved_shift & max_saved_words) * 8;
    }
    static constexpr uint64_t offset_bytes(uint64_t word) { return (word >> offset_shift) * 8; }
};

}  // namespace malloom::context
