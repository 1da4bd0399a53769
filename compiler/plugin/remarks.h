// What became of each alias set, and why not more, as remarks of the optimiser: -Rpass=malloom,
// -Rpass-missed=malloom, -Rpass-analysis=malloom, and YAML (-fsave-optimization-record).
#pragma once

#include <llvm/Analysis/OptimizationRemarkEmitter.h>

#include <functional>
#include <vector>

#include "compiler/analysis/field_names.h"
#include "compiler/policy/decision.h"

namespace malloom::compiler {

using RemarksOf = std::function<llvm::OptimizationRemarkEmitter&(llvm::Function& function)>;

/// Before the module is rewritten: remarks stand at requests, and reasons where they were found.
void remark(const std::vector<Decision>& decisions, const StructureNames& names, const RemarksOf& remarks_of);

/// The program is too large for contexts to be told apart. Said of one of its functions.
void remark_no_contexts(llvm::Module& module, const RemarksOf& remarks_of);

/// The analysis took so long that less was told apart from then on. Said in the same way.
void remark_coarse(llvm::Module& module, const RemarksOf& remarks_of);

}  // namespace malloom::compiler
