// What the plugin warns of, and where remarks of a whole program stand.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/analysis/legality.h"

namespace malloom::compiler {

void warn(llvm::Module& module, const std::string& text);

/// At the beginning of main, or of what a library requests first; null where nothing is requested.
llvm::Function* place_of_program(llvm::Module& module, const std::vector<Proof>& proofs);

}  // namespace malloom::compiler
