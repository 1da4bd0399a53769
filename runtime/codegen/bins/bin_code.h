// Bin functions as machine code, for this machine or another one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/codegen/bins/bin_ranges.h"
#include "runtime/codegen/bins/instruction_set.h"

namespace malloom::codegen::bins {

enum class CodeProblem : uint8_t {
    none,
    bad_count,      ///< no ranges, or more than most_ranges
    not_ascending,  ///< a range begins where the one before it does, or earlier
    room_too_small
};

struct GeneratedCode {
    const unsigned char* begin;  ///< in the room; null where there is a problem
    size_t bytes;                ///< also where the room is too small: what it takes
    CodeProblem problem;
};

/// Writes the function of the ranges at the end of the room, aligned to 4 there. `scratch` is a word for each
/// range, and may be their weights, which are lost then. The code runs anywhere, reads and writes no memory,
/// and keeps to the registers that C functions may change. The room may be null with 0 bytes, to learn what
/// it takes. `has_landing_pad`: it begins with the instruction at which checked indirect calls arrive, which
/// does nothing elsewhere.
GeneratedCode generate(const BinRanges& ranges, const InstructionSet& instructions, uint32_t* scratch,
                       unsigned char* room, size_t room_bytes, bool has_landing_pad);

/// Whether a function that this machine can call has the right bin at the begin of each range, after it and
/// before the next one. What `generate` makes is right everywhere then: between them it only goes up or down.
bool is_right(BinFunction function, const BinRanges& ranges);

}  // namespace malloom::codegen::bins
