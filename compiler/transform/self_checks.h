// What the rewriting relies on, checked before it begins. Where a check fails, the compiler is wrong and not
// the program: the link ends with a message that names the structure and the rule, and no wrong program is
// made.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include "compiler/analysis/legality.h"
#include "compiler/layout/split_layout.h"

namespace malloom::compiler {

class Targets;

/// The layout breaks none of the rules of layouts.
void check_layout(const Proof& proof, const SplitLayout& layout);

/// Of each set that is treated, all requests, releases and accesses that the proof speaks of are among what
/// is to be rewritten, and each access is to fields of the layout.
void check_found(const PointsTo& points_to, const Targets& targets,
                 const llvm::DenseSet<const llvm::Instruction*>& found);

/// The module is still one that LLVM takes. Costs as much as a pass over all of it.
void check_module(const llvm::Module& module);

}  // namespace malloom::compiler
