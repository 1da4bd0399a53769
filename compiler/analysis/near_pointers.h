// The pointers in objects that an access or a copy may be of.
#pragma once

#include "compiler/analysis/alias_set.h"

namespace malloom::compiler {

constexpr uint64_t pointer_bytes = 8;

using Offsets = llvm::SmallVector<int64_t>;

/// The pointers of a set that may lie within so many bytes from an offset on, or partly, in their order:
/// those that are near to one of the places that the offset may be, in any element, and all that may be at
/// several.
Offsets pointers_near(const AliasSet& set, int64_t offset, uint64_t bytes);

}  // namespace malloom::compiler
