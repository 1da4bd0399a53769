// Undoes what hides from the points-to analysis which field an access is of.
#pragma once

#include <llvm/IR/Module.h>

namespace malloom::compiler {

/// Where compilation made one load or store of two, through a choice of addresses, makes them two again: the
/// choice would make the two fields, or the two kinds of objects, one. And drops what is assumed of
/// addresses. Says whether anything has changed.
bool divide_sunk_accesses(llvm::Module& module);

}  // namespace malloom::compiler
