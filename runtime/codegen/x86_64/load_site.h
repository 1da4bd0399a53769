// A load that a plan names, as it stands in the program's code.
#pragma once

#include <span>

#include "formats/plan.h"
#include "runtime/codegen/x86_64/instruction.h"

namespace malloom::codegen::x86_64 {

/// Where a plan's prefetch belongs in this process. The caller says where the load should be; find_loads
/// says whether it is there.
struct LoadSite {
    /// As many as a jump in the load's place may cover, with prefixes.
    static constexpr unsigned most_following = 8;

    const formats::plan::PlanPrefetch* prefetch = nullptr;
    uintptr_t address = 0;   ///< of the load
    uintptr_t function = 0;  ///< first instruction of its function
    uintptr_t end = 0;       ///< one past the code that can be read from there on
    int protection = 0;      ///< of the code's pages, as mprotect has it

    bool is_found = false;
    Instruction load;
    Instruction following[most_following];  ///< those after it; length 0: what they are is not known
    bool flags_are_free = false;  ///< no instruction reads the status flags that are set before the load
};

/// Finds all of them, where they stand apart, and sorts them by address. Goes through a function's code
/// instruction by instruction, so that a load is found only where the program's own instructions begin: a
/// plan cannot make anything of the middle of one. Code between functions' instructions that is none (tables
/// in hand-written assembly) is not told from them.
void find_loads(const Zydis& zydis, std::span<LoadSite> sites);

}  // namespace malloom::codegen::x86_64
