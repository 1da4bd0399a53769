#include "compiler/policy/leaders.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>

#include <algorithm>
#include <map>

#include "compiler/policy/visited.h"

namespace malloom::compiler {

namespace {

/// The pointers through which a proof's objects are visited, with how often.
using Visits = llvm::MapVector<const llvm::Value*, double>;
/// Pointers that were loaded from objects, with the numbers of their proofs.
using Loads = llvm::DenseMap<const llvm::Value*, size_t>;

std::optional<size_t> leader_of(size_t number, const Visits& visits, const Loads& loads) {
    double all = 0;
    std::map<size_t, double> led;
    for (const auto& [object, weight] : visits) {
        all += weight;
        const auto from = loads.find(object);
        if (from != loads.end() && from->second != number) {
            led[from->second] += weight;
        }
    }
    const auto most = std::ranges::max_element(led, {}, [](const auto& entry) { return entry.second; });
    return most != led.end() && 2 * most->second > all ? std::optional(most->first) : std::nullopt;
}

}  // namespace

std::vector<std::optional<size_t>> leaders_of(const PointsTo& points_to, const std::vector<Proof>& proofs,
                                              const Weights& weights) {
    llvm::DenseMap<const AliasSet*, size_t> numbers;
    for (size_t i = 0; i < proofs.size(); ++i) {
        if (proofs[i].may_pool()) {
            numbers[proofs[i].set] = i;
        }
    }
    std::vector<Visits> visits(proofs.size());
    Loads loads;
    for (const Access& access : points_to.accesses()) {
        const Cell at = points_to.sets().resolve(access.at);
        const auto found = at ? numbers.find(at.set) : numbers.end();
        if (found == numbers.end()) {
            continue;
        }
        loads[access.instruction] = found->second;
        const llvm::Value* object = object_of(access).first;
        if (!is_fresh(proofs[found->second], object)) {
            double& known = visits[found->second][object];
            known = std::max(known, weights.of(*access.instruction));
        }
    }
    std::vector<std::optional<size_t>> leaders(proofs.size());
    for (size_t i = 0; i < proofs.size(); ++i) {
        leaders[i] = leader_of(i, visits[i], loads);
    }
    return leaders;
}

}  // namespace malloom::compiler
