// Lines and columns of instructions, from .debug_line (DWARF 2 to 5).
#pragma once

#include <stdint.h>

#include <vector>

#include "src/native/debug/section_reader.h"

namespace malloom::native {

struct LineAndColumn {
    uint32_t line = 0;    ///< 0: not known
    uint32_t column = 0;  ///< from 1; 0: not known
};

/// One for each of the addresses, which rise. What cannot be read leaves its addresses unknown.
std::vector<LineAndColumn> find_lines(Bytes debug_line, std::span<const uint64_t> addresses);

}  // namespace malloom::native
