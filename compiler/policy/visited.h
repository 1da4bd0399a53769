// Which object an access is a visit to: all accesses through one pointer are to one object.
#pragma once

#include <utility>

#include "compiler/analysis/legality.h"

namespace malloom::compiler {

/// The pointer that leads to an access's object, and the index of a structure in the array that it leads to;
/// null: the first.
std::pair<const llvm::Value*, const llvm::Value*> object_of(const Access& access);

/// Whether a pointer is to an object that was just requested.
bool is_fresh(const Proof& proof, const llvm::Value* object);

}  // namespace malloom::compiler
