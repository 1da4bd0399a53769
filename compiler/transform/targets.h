// What is done with each set, as the rewriting needs it: how its objects lie, and which pools or arrays they
// come from.
#pragma once

#include <deque>
#include <map>

#include "compiler/transform/heap_calls.h"
#include "compiler/transform/verification.h"

namespace malloom::compiler {

struct Target {
    const Proof* proof;
    const SplitObjects* layout;           ///< null: not split
    bool is_all_of_pools;                 ///< whatever its pointers lead to
    std::map<PoolKey, Pools> pools = {};  ///< of its requests, none of arrays

    bool is_of_arrays() const { return layout != nullptr && layout->is_of_arrays(); }
    /// Of its pools, and maybe of others between them: numbers of shared pools stand apart.
    PoolNumbers numbers() const;
    /// Of one of its requests.
    Pools pools_of(const Request& request) const {
        return is_of_arrays() ? Pools{0, 0, 0, layout} : pools.at(key_of(request));
    }
};

class Targets {
  public:
    /// Adds the variables of arrays to the module; the decisions must outlive this.
    Targets(llvm::Module& module, const std::vector<Decision>& decisions);

    const std::map<const AliasSet*, Target>& all() const { return targets_; }
    /// Null for what stays as it was.
    const Target* of(const AliasSet* set) const;
    /// Of a call that pools or arrays serve; else nulls.
    std::pair<const Target*, const Request*> of(const llvm::CallBase& request) const {
        return requests_.lookup(&request);
    }
    /// See array_variables.h; null where there are no arrays of structures.
    llvm::MDNode* begins_scope() const { return begins_scope_; }

  private:
    const SplitObjects& add_objects(llvm::Module& module, const Proof& proof, const SplitLayout& layout);

    std::deque<SplitObjects> layouts_;
    llvm::MDNode* begins_scope_ = nullptr;
    std::map<const AliasSet*, Target> targets_;
    llvm::DenseMap<const llvm::CallBase*, std::pair<const Target*, const Request*>> requests_;
};

}  // namespace malloom::compiler
