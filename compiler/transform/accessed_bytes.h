// Where an instruction accesses memory, and how much of it.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instruction.h>

namespace malloom::compiler {

/// Which operand of a load, a store or an atomic instruction is the address.
unsigned address_operand(const llvm::Instruction& instruction);

/// How many bytes a load, a store, an atomic or a memory intrinsic accesses. Ends the link where that is a
/// length that nobody knows: who asks relies on what was proven.
uint64_t bytes_accessed(const llvm::Instruction& instruction, const llvm::DataLayout& layout);

/// Takes a load's or store's address for one that is aligned so, where it takes it for more.
void lower_alignment(llvm::Instruction& instruction, llvm::Align alignment);

}  // namespace malloom::compiler
