// A choice between two places of one object, which compilers write as a choice of addresses or of offsets.
#pragma once

#include <llvm/IR/Module.h>

namespace malloom::compiler {

/// Makes a choice of two addresses that lie so many bytes from one the address at one of two offsets, as
/// clang 19 has it and clang 22 no longer does: then they are known to be fields of one object, and not an
/// address that goes on from one to the other. Says whether anything has changed.
bool choose_offsets(llvm::Module& module);

}  // namespace malloom::compiler
