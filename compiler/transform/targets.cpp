#include "compiler/transform/targets.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

#include "compiler/transform/array_variables.h"
#include "compiler/transform/self_checks.h"

namespace malloom::compiler {

namespace {

bool is_all_of_pools(const AliasSet& set) {
    const auto is_of_pools = [](const Request& request) {
        const PoolService service = pool_service(request);
        return service == PoolService::plain || service == PoolService::aligned;
    };
    return llvm::all_of(set.requests, is_of_pools) && !set.has(Trait::stack) && !set.has(Trait::global) &&
           !set.has(Trait::function) && !set.has(Trait::made_by_library);
}

/// Numbers for pools, one after the other, and what is shared one number.
class PoolNumbering {
  public:
    /// Of pools that a decision's requests have; where they are shared, their objects become as large as
    /// those of the others.
    unsigned of(const Decision& decision, const PoolKey& key, Pools& pools) {
        const auto found = decision.shared.find(pools.object_bytes);
        if (pools.layout != nullptr || key.second != 0 || found == decision.shared.end()) {
            return next_++;
        }
        pools.object_bytes = found->second.bytes;
        const auto [known, is_new] = shared_.try_emplace(found->second.group, next_);
        next_ += is_new ? 1 : 0;
        return known->second;
    }

  private:
    unsigned next_ = 0;
    std::map<size_t, unsigned> shared_;  ///< by their groups
};

}  // namespace

PoolNumbers Target::numbers() const {
    unsigned first = pools.begin()->second.number, last = first;
    for (const auto& [key, served] : pools) {
        first = std::min(first, served.number);
        last = std::max(last, served.number);
    }
    return {first, last - first + 1};
}

Targets::Targets(llvm::Module& module, const std::vector<Decision>& decisions) {
    PoolNumbering numbers;
    for (const Decision& decision : decisions) {
        if (decision.treatment == Treatment::none) {
            continue;
        }
        const Proof& proof = *decision.proof;
        const SplitObjects* layout =
            decision.layout ? &add_objects(module, proof, *decision.layout) : nullptr;
        Target& target = targets_[proof.set] = Target{&proof, layout, is_all_of_pools(*proof.set)};
        for (const Request& request : proof.set->requests) {
            if (target.is_of_arrays() || is_served(request)) {
                requests_.try_emplace(request.call, &target, &request);
            }
            if (!target.is_of_arrays() && is_served(request)) {
                target.pools[key_of(request)] = pools_for(request, decision.pool_bytes, layout);
            }
        }
        for (auto& [key, pools] : target.pools) {
            pools.number = numbers.of(decision, key, pools);
        }
    }
}

const SplitObjects& Targets::add_objects(llvm::Module& module, const Proof& proof,
                                         const SplitLayout& layout) {
    check_layout(proof, layout);
    SplitObjects& objects = layouts_.emplace_back(layout);
    if (objects.is_of_arrays()) {
        begins_scope_ = begins_scope_ == nullptr ? new_begins_scope(module) : begins_scope_;
        add_array_variables(module, objects, begins_scope_);
    }
    return objects;
}

const Target* Targets::of(const AliasSet* set) const {
    const auto found = targets_.find(set);
    return found == targets_.end() ? nullptr : &found->second;
}

}  // namespace malloom::compiler
