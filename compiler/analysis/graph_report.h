// The points-to graph as text: alias sets, what is known of them, and where the pointers in their objects
// lead.
#pragma once

#include <llvm/Support/raw_ostream.h>

#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

/// The sets of heap objects and all that are connected with them by pointers in memory: of each a line,
/// `graph: SET is WHAT, WHAT`, and one of each pointer, `graph: SET+OFFSET -> SET+OFFSET`. The numbers of
/// sets mean nothing. Offsets are from where objects begin, or from the first that is used where that is not
/// known.
void print_graph(llvm::raw_ostream& out, const PointsTo& points_to);

}  // namespace malloom::compiler
