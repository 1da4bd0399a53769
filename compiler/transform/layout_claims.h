// What a program's functions, calls and loads claim of how objects lie: their alignment, and how many bytes
// lie where a pointer leads.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

namespace malloom::compiler {

/// Of which pointers it is not so any more.
using PointerTest = llvm::function_ref<bool(const llvm::Value* value)>;

void forget_claims(llvm::Function& function, PointerTest is_split);
void forget_claims(llvm::Instruction& instruction, PointerTest is_split);

}  // namespace malloom::compiler
