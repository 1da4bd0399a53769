// Requests and releases as calls of pools (include/malloom/pools.h).
#pragma once

#include <llvm/IR/InstrTypes.h>

#include "compiler/policy/decision.h"

namespace malloom::compiler {

/// A set's pools as the run time knows them.
struct Pools {
    unsigned number;  ///< struct_id
    uint64_t object_bytes;
    uint64_t pool_bytes;
    const SplitLayout* layout;  ///< null: not split
};

/// The request, by malloc, calloc or operator new, becomes one of pools, and is erased.
void rewrite_request(llvm::CallBase& call, const Pools& pools);
/// A call of free or operator delete becomes one of pools, and is erased: of objects of split sets, or of
/// sets of which some may come from pools.
void rewrite_release(llvm::CallBase& call, bool is_split);
/// A call of realloc, of which some objects may come from pools, becomes one that knows these.
void rewrite_resize(llvm::CallBase& call);

}  // namespace malloom::compiler
