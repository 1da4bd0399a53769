// Where calls stand in the source: what the names of `symbolic` lack, which are columns, and lines of
// declarations.
#pragma once

#include <stdint.h>

#include <vector>

#include "src/native/debug/entries.h"

namespace malloom::native {

/// One call of the source; 0 where something is not known.
struct CallPlace {
    uint32_t line = 0;
    uint32_t column = 0;
    uint32_t function_line = 0;  ///< where the function is declared that the call stands in
    uint64_t entry = 0;          ///< offset in .debug_info of that function's entry, or of its inlined copy's
};

/// For each address, which rise, its calls, innermost first: all but the last in functions that are inlined.
/// None for an address that no function covers.
std::vector<std::vector<CallPlace>> find_call_places(const DebugSections& sections,
                                                     std::span<const uint64_t> addresses);

}  // namespace malloom::native
