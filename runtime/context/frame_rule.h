// How to step from a frame to its caller on x86-64, in one word.
#pragma once

#include <stdint.h>

namespace malloom::context {

/// The canonical frame address (CFA) is the stack pointer before the call that made the frame: the return
/// address lies 8 bytes below it. A rule says where the CFA is, given the registers at one return address,
/// and where the caller's rbp was saved: between the base register and the CFA. It shares its word with a
/// tag, so that a cache entry is one load.
struct FrameRule {
    // From bit 0: 1 bit base is rbp, not rsp; 2 bits free; 20 bits CFA = base + this many words, 0 = the walk
    // ends (so masked, these are bytes); 8 bits rbp lies this many words below the return address, 0 =
    // unchanged; 33 bits tag.
    static constexpr unsigned offset_shift = 3;
    static constexpr unsigned saved_shift = 23;
    static constexpr unsigned tag_shift = 31;
    static constexpr unsigned tag_bits = 64 - tag_shift;
    static constexpr uint64_t max_offset_words = (uint64_t{1} << (saved_shift - offset_shift)) - 1;
    static constexpr uint64_t max_saved_words = (uint64_t{1} << (tag_shift - saved_shift)) - 1;

    static constexpr uint64_t end() { return 0; }
    static constexpr uint64_t make(bool from_frame_pointer, uint64_t offset_words, uint64_t saved_words) {
        return uint64_t{from_frame_pointer} | offset_words << offset_shift | saved_words << saved_shift;
    }
    static constexpr uint64_t tag(uint64_t word) { return word >> tag_shift; }
    static constexpr bool from_frame_pointer(uint64_t word) { return (word & 1) != 0; }
    static constexpr uint64_t offset_bytes(uint64_t word) { return word & max_offset_words << offset_shift; }
    static constexpr uint64_t saved_words(uint64_t word) { return word >> saved_shift & max_saved_words; }
};

}  // namespace malloom::context
