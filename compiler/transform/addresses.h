// The code that finds a place of a split object from another one.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "compiler/layout/split_layout.h"

namespace malloom::compiler {

/// From a pointer to one place of an object, a pointer to another place of it: a distance where the elements
/// of both arrays are equally long, else by the object's index, which the pointer's lowest bits tell as pools
/// are aligned (MPADS, equations 2 to 4).
llvm::Value* move(llvm::IRBuilder<>& code, const SplitLayout& layout, llvm::Value* pointer, Place from,
                  Place to);

}  // namespace malloom::compiler
