// reallocarray as realloc, of which the analysis and the pools know all.
#pragma once

#include <llvm/IR/Module.h>

namespace malloom::compiler {

/// Calls of the C library's reallocarray(object, count, bytes) become such of realloc(object, count * bytes);
/// of more bytes than there are numbers, of the largest number, which realloc refuses in the same way. A
/// function of that name which is the program's own stays. Says whether anything has changed.
bool make_plain_resizes(llvm::Module& module);

}  // namespace malloom::compiler
