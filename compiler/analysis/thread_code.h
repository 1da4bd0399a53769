// Which functions threads may run beside each other.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

/// Whether code of the program may run in several threads.
bool starts_threads(const llvm::Module& module);

/// In a program that starts threads: the functions that code which is not seen may call by their address,
/// main alone excepted, and all that these call. None in other programs.
llvm::DenseSet<const llvm::Function*> thread_code(const PointsTo& points_to);

}  // namespace malloom::compiler
