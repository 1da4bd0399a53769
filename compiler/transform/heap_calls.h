// Requests and releases as calls of pools (include/malloom/pools.h).
#pragma once

#include <llvm/IR/InstrTypes.h>

#include "compiler/policy/decision.h"

namespace malloom::compiler {

/// A set's pools as the run time knows them.
struct Pools {
    unsigned number;            ///< struct_id
    uint64_t object_bytes;      ///< of a set that is not split
    uint64_t pool_bytes;
    const SplitLayout* layout;  ///< null: not split
};

/// The call, of malloc, calloc or free, becomes one of pools, and is erased.
void rewrite_heap_call(llvm::CallBase& call, const Pools& pools);

}  // namespace malloom::compiler
