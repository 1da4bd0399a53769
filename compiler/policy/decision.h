// What is done with an alias set. Who decides proves nothing and rewrites nothing.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/legality.h"
#include "compiler/layout/split_layout.h"
#include "compiler/policy/visits.h"

namespace malloom::compiler {

enum class Treatment : uint8_t {
    none,  ///< as it was
    pool,  ///< objects come from pools of their own
    split  ///< and their fields lie in arrays
};

/// Where objects of different sets lie in the same pools, in the order in which they are requested.
struct SharedPool {
    size_t group;    ///< the same for all that share
    uint64_t bytes;  ///< of each of their objects
};

enum class Policy : uint8_t {
    none,
    overhead_only,  ///< decides as `automatic` does, for a program that stays without pools
    pool,           ///< pools wherever they are proven
    maximal,        ///< splits whatever is proven, each field apart (the paper's)
    hot_cold,       ///< chooses for each set between the whole and two arrays
    automatic       ///< chooses for each set
};

/// What users call it.
llvm::StringRef name_of(Policy policy);
std::optional<Policy> policy_named(llvm::StringRef name);

/// Whether a policy goes by how objects are used.
inline bool chooses(Policy policy) {
    return policy == Policy::hot_cold || policy == Policy::automatic || policy == Policy::overhead_only;
}

/// Whether structures share pools where that promises to be fastest.
inline bool shares_pools(Policy policy) {
    return policy == Policy::automatic || policy == Policy::overhead_only;
}

struct Decision {
    const Proof* proof;
    Policy policy;
    Treatment treatment = Treatment::none;
    std::string why = {};      ///< it is not split, though it may be
    bool is_recorded = false;  ///< by recorded visits, not by those of the code
    /// Of a split: fields by their arrays. Where all lie in one, objects are whole, but closer together.
    Parts parts = {};
    std::optional<SplitLayout> layout = {};      ///< of a split
    uint64_t pool_bytes = 0;                     ///< of pools; 0: whatever suits the run time
    std::map<uint64_t, SharedPool> shared = {};  ///< of objects that are not split, by their sizes
};

/// What is done with each proof's set, in their order; usages and policies are of the same. Pools of split
/// objects have pool_bytes, a power of two.
std::vector<Decision> decide(const std::vector<Proof>& proofs, const std::vector<Usage>& usages,
                             const std::vector<Policy>& policies, uint64_t pool_bytes);

}  // namespace malloom::compiler
