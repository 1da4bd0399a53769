// What is done with an alias set. Who decides proves nothing and rewrites nothing.
#pragma once

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

struct Decision {
    const Proof* proof;
    Treatment treatment = Treatment::none;
    std::string why = {};                           ///< it is not split, though it may be
    bool is_recorded = false;                       ///< by recorded visits, not by those of the code
    std::vector<std::vector<unsigned>> parts = {};  ///< of a split: fields by their arrays
    uint64_t pool_bytes = 0;                        ///< of pools; 0: whatever suits the run time
};

/// How the objects of a set lie that is split.
SplitLayout layout_of(const Decision& decision);

enum class Policy : uint8_t {
    none,
    pool,      ///< pools wherever they are proven
    maximal,   ///< splits whatever is proven, each field apart (the paper's)
    hot_cold,  ///< chooses for each set between the whole and two arrays
    automatic  ///< chooses for each set
};

/// Whether a policy goes by how objects are used.
inline bool chooses(Policy policy) {
    return policy == Policy::hot_cold || policy == Policy::automatic;
}

/// What is done with each proof's set, in their order; `usages` are of the same, for policies that choose.
std::vector<Decision> decide(const std::vector<Proof>& proofs, const std::vector<Usage>& usages,
                             Policy policy);

}  // namespace malloom::compiler
