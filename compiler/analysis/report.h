// The analysis as text, for tests and for those who work on it.
#pragma once

#include <llvm/Support/raw_ostream.h>

#include "compiler/analysis/legality.h"

namespace malloom::compiler {

/// A line for each heap set: where it is requested, its fields, and what may be done with it or why not.
void print(llvm::raw_ostream& out, const std::vector<Proof>& proofs);

}  // namespace malloom::compiler
