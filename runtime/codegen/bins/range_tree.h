// The comparisons that lead from a size to its bin: a tree, balanced by weights.
#pragma once

#include "runtime/codegen/bins/instruction_set.h"

namespace malloom::codegen::bins {

/// Comparisons on the way to a bin, at most: 2 * ceil(log2 ranges) + 2.
constexpr unsigned most_comparisons = 22;

/// Writes the function of ranges that are right (bin_code.h), with about as few comparisons and jumps as the
/// weights allow. `scratch` has a word for each range, and may be the ranges' weights. The time it takes is
/// in proportion to the number of ranges, but for searches in the sums of weights; the stack is less than a
/// kilobyte.
void write_tree(const BinRanges& ranges, const InstructionSet& instructions, uint32_t* scratch,
                CodeWriter& code);

}  // namespace malloom::codegen::bins
