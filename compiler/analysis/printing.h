// Functions of the program that take more arguments than they name, and only have the C library write these
// as text: as those do that report errors.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

#include <optional>

namespace malloom::compiler {

/// The formats by which a function with unnamed arguments has the C library write them, each a constant, an
/// argument of that function, or null where it is not known. Nothing where anything else may become of these
/// arguments. One that leaves them alone has no formats.
std::optional<llvm::SmallVector<const llvm::Value*, 2>> formats_of_printing(const llvm::Function& function);

}  // namespace malloom::compiler
