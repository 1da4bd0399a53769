// Loads of many forms in small functions, which the assembler makes, and a way to run them with all registers
// known.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/plan.h"

namespace malloom::tests {

/// One small function with a load in it, as it lies in the test's own code. Position-independent; it returns.
struct Snippet {
    const unsigned char* start;
    const unsigned char* load;
    const unsigned char* end;
    const char* text;  ///< the load
    uint32_t base;
    uint32_t index;
    uint32_t scale;
    int32_t displacement;
};

/// All of them.
std::vector<Snippet> snippets();
/// The one whose load reads so; of several with the same load the n-th.
Snippet snippet_of(const char* text, int variant = 0);

/// What a function finds and leaves: rax to r15 in hardware numbering (rsp does not count), flags, xmm0.
struct Registers {
    uint64_t general[16];
    uint64_t flags;
    uint64_t vector[2];
    bool operator==(const Registers& other) const = default;
};

/// Calls `code` with these registers, and puts what it leaves there.
extern "C" void run_with_registers(Registers* registers, const void* code);

}  // namespace malloom::tests
