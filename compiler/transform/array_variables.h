// What a program has for its arrays of structures: for each structure a descriptor that the run time is given
// with each request (malloom_arrays of include/malloom/pools.h), and what LLVM may know of it.
#pragma once

#include <llvm/IR/Module.h>

#include "compiler/transform/addresses.h"

namespace malloom::compiler {

/// Adds the variables of one set, and tells its objects of them. `scope` is from `new_begins_scope`.
void add_array_variables(llvm::Module& module, SplitObjects& objects, llvm::MDNode* scope);

/// A scope for what says where arrays begin, one for all sets of a module.
llvm::MDNode* new_begins_scope(llvm::Module& module);
/// After all is rewritten: nothing that the program does changes where arrays begin, but calls that may
/// request the first of them. And functions that changed nothing but what they were given now read where
/// arrays begin.
void keep_begins_apart(llvm::Module& module, llvm::MDNode* scope);

}  // namespace malloom::compiler
