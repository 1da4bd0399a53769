// Checks at run time that what was proven holds: what accesses objects of a set hits its pools, and nothing
// else does. For tests, and for users who doubt.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace malloom::compiler {

struct Target;

/// A set's pools as the run time knows them: struct_ids from `first` on.
struct PoolNumbers {
    unsigned first, count;
};

/// Before an access by the operand of an instruction: its bytes must lie in pools or arrays of the target,
/// and those of a split object in the array of the field at the offset, where that is known; or in none,
/// where there is no target.
void verify_access(llvm::Instruction& instruction, unsigned operand, const Target* target,
                   std::optional<uint64_t> offset);

}  // namespace malloom::compiler
