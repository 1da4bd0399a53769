// Checks at run time that what was proven holds: what accesses objects of a set hits its pools, and nothing
// else does. For tests, and for users who doubt.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace malloom::compiler {

/// A set's pools as the run time knows them: struct_ids from `first` on.
struct PoolNumbers {
    unsigned first, count;
};

/// Before an access to the address, so many bytes: they must lie in one of these pools.
void check_inside(llvm::IRBuilder<>& code, llvm::Value* address, uint64_t bytes, PoolNumbers pools);
/// The same: in the arrays of structures that the variable describes.
void check_in_arrays(llvm::IRBuilder<>& code, llvm::Value* address, uint64_t bytes,
                     llvm::GlobalVariable& descriptor);
/// The same: no pool's bytes.
void check_outside(llvm::IRBuilder<>& code, llvm::Value* address, uint64_t bytes);

}  // namespace malloom::compiler
