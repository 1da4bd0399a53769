// What LLVM's GEPOperator::collectOffset finds, whose type differs between the versions that malloom builds
// with.
#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Value.h>

namespace malloom::compiler {

/// The indices of an address that are no constants, each with what it is multiplied by.
#if LLVM_VERSION_MAJOR < 22
using VariableOffsets = llvm::MapVector<llvm::Value*, llvm::APInt>;
#else
using VariableOffsets = llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4>;
#endif

}  // namespace malloom::compiler
