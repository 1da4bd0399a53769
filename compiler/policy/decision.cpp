#include "compiler/policy/decision.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <numeric>

#include "compiler/policy/grouping.h"
#include "include/malloom/pools.h"

namespace malloom::compiler {

namespace {

bool is_power_of_two(uint64_t bytes) {
    return bytes != 0 && (bytes & (bytes - 1)) == 0;
}

/// Each field apart. First one that leads to another object of the set, then the others in their order; the
/// first one's length a power of two, so that an object's number in its pool takes no division.
Parts all_apart(const Proof& proof) {
    const std::vector<Field>& fields = proof.fields;
    std::vector<unsigned> order(fields.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater(), [&](unsigned number) {
        const Field& field = fields[number];
        return (proof.first_leads && field.offset == 0 ? 4 : 0) + (field.is_recursive ? 2 : 0) +
               (is_power_of_two(field.bytes) ? 1 : 0);
    });
    Parts parts;
    parts.reserve(order.size());
    for (const unsigned number : order) {
        parts.push_back({number});
    }
    return parts;
}

/// Nothing where pools have no room for an object.
std::optional<SplitLayout> layout_of(const Proof& proof, const Parts& parts, uint64_t pool_bytes) {
    return proof.is_arrays ? SplitLayout::of_arrays(proof.fields, parts, proof.object_bytes)
                           : SplitLayout::in_pools(proof.fields, parts, proof.object_bytes, pool_bytes);
}

/// Not at all where there are no parts, or no room for them.
void split(Decision& decision, Parts parts, uint64_t pool_bytes) {
    if (parts.empty()) {
        return;
    }
    decision.layout = layout_of(*decision.proof, parts, pool_bytes);
    if (!decision.layout) {
        decision.why = "its arrays have no room in a pool";
        return;
    }
    decision.treatment = Treatment::split;
    decision.pool_bytes = pool_bytes;
    decision.parts = std::move(parts);
    decision.why.clear();
}

/// Splits what its usage calls for, or says why not.
void choose(Decision& decision, const Usage& usage, Policy policy, uint64_t pool_bytes) {
    decision.is_recorded = usage.recorded.has_value();
    if (decision.proof->fields.size() > most_grouped_fields) {
        decision.why = "it has more fields than are grouped";
    } else if (usage.recorded && usage.recorded->is_cold) {
        decision.why = "the recorded program hardly waited for its objects";
    } else if (usage.visits.empty()) {
        decision.why = "nothing visits its objects";
    } else if (policy == Policy::hot_cold) {
        decision.why = "its fields are not clearly hot or cold, or two arrays save too little";
        split(decision, hot_and_cold(*decision.proof, usage), pool_bytes);
    } else {
        decision.why = "arrays save too little";
        split(decision, best_parts(*decision.proof, usage), pool_bytes);
    }
}

struct Named {
    llvm::StringRef name;
    Policy policy;
};

constexpr Named names[] = {{"none", Policy::none},         {"overhead-only", Policy::overhead_only},
                           {"pool", Policy::pool},         {"maximal", Policy::maximal},
                           {"hot-cold", Policy::hot_cold}, {"default", Policy::automatic}};

}  // namespace

llvm::StringRef name_of(Policy policy) {
    return std::ranges::find(names, policy, &Named::policy)->name;
}

std::optional<Policy> policy_named(llvm::StringRef name) {
    const auto* const found = std::ranges::find(names, name, &Named::name);
    return found == std::end(names) ? std::nullopt : std::optional(found->policy);
}

std::vector<Decision> decide(const std::vector<Proof>& proofs, const std::vector<Usage>& usages,
                             const std::vector<Policy>& policies, uint64_t pool_bytes) {
    std::vector<Decision> decisions;
    size_t treated = 0;
    for (size_t i = 0; i < proofs.size(); ++i) {
        const Proof& proof = proofs[i];
        const Policy policy = policies[i];
        Decision& decision = decisions.emplace_back(Decision{.proof = &proof, .policy = policy});
        // Each size of a set's objects has pools of its own.
        const size_t sizes = proof.set->requests.size();
        if (policy == Policy::none || !proof.may_pool() || treated + sizes > MALLOOM_MOST_STRUCTURES) {
            continue;
        }
        treated += sizes;
        const bool has_pools = llvm::any_of(proof.set->requests, is_served);
        decision.treatment = has_pools ? Treatment::pool : Treatment::none;
        decision.pool_bytes = 0;
        if (policy == Policy::maximal && proof.may_split() && proof.fields.size() > 1) {
            split(decision, all_apart(proof), pool_bytes);
        }
        if (chooses(policy) && proof.may_split()) {
            choose(decision, usages[i], policy, pool_bytes);
        }
    }
    return decisions;
}

}  // namespace malloom::compiler
