// Accesses to several fields of a split object at once: made one piece at a time.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/transform/addresses.h"

namespace malloom::compiler {

/// One side of a transfer: memory from an address on, or a split object from a byte of it on.
struct Side {
    llvm::Value* address;
    const SplitObjects* layout = nullptr;  ///< null: memory as it always was
    uint64_t offset = 0;                   ///< that the address leads to, in the split object
    llvm::Align alignment = llvm::Align(1);
    /// Of what the address leads to in an inner array of the object, whichever element that is.
    uint64_t most_aligned = UINT64_MAX;

    /// Where the byte lies that is so many further.
    Side plus(llvm::IRBuilder<>& code, uint64_t bytes) const;
};

/// Copies or moves so many bytes, as the instruction does, which is erased.
void rewrite_transfer(llvm::MemTransferInst& instruction, const Side& to, const Side& from, uint64_t bytes);
/// Fills so many bytes of a split object, as the instruction does, which is erased.
void rewrite_fill(llvm::MemSetInst& instruction, const Side& to, uint64_t bytes);
/// Fills, copies or moves as many structures of arrays as there are in the instruction's length, part by
/// part, and `has_rest` what is left of that. The instruction is erased.
void rewrite_of_structures(llvm::MemIntrinsic& instruction, const SplitObjects& objects, bool has_rest);
/// A load or store of several fields, through a variable on the stack, which later passes take away. The
/// instruction accesses that thereafter.
void rewrite_divided(llvm::Instruction& instruction, const Side& object, uint64_t bytes);

}  // namespace malloom::compiler
