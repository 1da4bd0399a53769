// The code that finds a place of a split object from another one.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "compiler/layout/split_layout.h"

namespace malloom::compiler {

/// How the objects of a split set lie, and where the program finds that: of arrays of structures its
/// variables say it (array_variables.h).
struct SplitObjects : SplitLayout {
    explicit SplitObjects(SplitLayout layout) : SplitLayout(std::move(layout)) {}

    llvm::GlobalVariable* descriptor = nullptr;  ///< malloom_arrays; null: not of arrays
    llvm::GlobalVariable* begins = nullptr;      ///< of its parts: numbers
    llvm::MDNode* begins_scope = nullptr;        ///< alias.scope of what is loaded from there
};

/// From a pointer to one place of an object, a pointer to another place of it: a distance where the elements
/// of both arrays are equally long, else by the object's index. In pools the pointer's lowest bits tell that,
/// as these are aligned (MPADS, equations 2 to 4), and in arrays of structures its distance from where its
/// array begins.
llvm::Value* move(llvm::IRBuilder<>& code, const SplitObjects& objects, llvm::Value* pointer, Place from,
                  Place to);

/// So many bytes further, which may lead out of what LLVM takes for the object.
llvm::Value* further(llvm::IRBuilder<>& code, llvm::Value* pointer, llvm::Value* bytes);
llvm::Value* further(llvm::IRBuilder<>& code, llvm::Value* pointer, uint64_t bytes);

}  // namespace malloom::compiler
