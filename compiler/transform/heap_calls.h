// Requests and releases as calls of pools (include/malloom/pools.h).
#pragma once

#include <llvm/IR/InstrTypes.h>

#include "compiler/policy/decision.h"
#include "compiler/transform/addresses.h"

namespace malloom::compiler {

/// A set's pools as the run time knows them; of arrays of structures their layout alone.
struct Pools {
    unsigned number;        ///< struct_id
    uint64_t object_bytes;  ///< 0: of any size
    uint64_t pool_bytes;
    const SplitObjects* layout;  ///< null: not split
};

/// Which pools of its set a request is served by: those of its size and alignment; of any size, one for all.
using PoolKey = std::pair<uint64_t, uint64_t>;
PoolKey key_of(const Request& request);
/// Those pools, without a number yet; `pool_bytes` is what was decided of the set.
Pools pools_for(const Request& request, uint64_t pool_bytes, const SplitObjects* layout);

/// The request becomes one of pools, and is erased.
void rewrite_request(llvm::CallBase& call, const Pools& pools);
/// A call of free or operator delete becomes one of pools, and is erased: of objects of split sets, or of
/// sets of which some may come from pools, which have no layout.
void rewrite_release(llvm::CallBase& call, const SplitObjects* layout);

}  // namespace malloom::compiler
