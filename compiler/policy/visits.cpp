#include "compiler/policy/visits.h"

#include <llvm/ADT/MapVector.h>

#include <algorithm>

#include "compiler/policy/links.h"
#include "compiler/policy/visited.h"

namespace malloom::compiler {

namespace {

/// The accesses through one pointer of one function: to one object at a time.
struct ObjectUse {
    llvm::MapVector<unsigned, double> fields;  ///< with how often
    bool is_fresh = false;
};

/// By a pointer, and the index of a structure in the array that it leads to; null: the first.
using ObjectUses = llvm::MapVector<std::pair<const llvm::Value*, const llvm::Value*>, ObjectUse>;

/// Fields that are visited less often go along with those visited more often as often as they do.
std::vector<Visit> visits_of(const ObjectUses& uses) {
    std::vector<Visit> visits;
    for (const auto& [object, use] : uses) {
        std::vector<std::pair<double, unsigned>> order;
        for (const auto& [field, weight] : use.fields) {
            order.emplace_back(weight, field);
        }
        std::ranges::sort(order, std::greater());
        FieldSet fields = 0;
        for (size_t i = 0; i < order.size(); ++i) {
            fields |= FieldSet{1} << order[i].second;
            const double next = i + 1 < order.size() ? order[i + 1].first : 0;
            if (order[i].first > next) {
                visits.push_back({fields, order[i].first - next, use.is_fresh});
            }
        }
    }
    return visits;
}

/// Uses of the objects of each proof that may be split.
class Uses {
  public:
    /// All must outlive it.
    Uses(const PointsTo& points_to, const std::vector<Proof>& proofs, const Weights& weights);

    void take(const Access& access);
    std::vector<Usage> usages() const;

  private:
    void take_fields(size_t number, Cell at, const Access& access);

    const PointsTo& points_to_;
    const std::vector<Proof>& proofs_;
    const Weights& weights_;
    llvm::DenseMap<const AliasSet*, size_t> numbers_;
    std::vector<ObjectUses> uses_;
    std::vector<Links> links_;
};

Uses::Uses(const PointsTo& points_to, const std::vector<Proof>& proofs, const Weights& weights)
    : points_to_(points_to), proofs_(proofs), weights_(weights), uses_(proofs.size()), links_(proofs.size()) {
    for (size_t i = 0; i < proofs.size(); ++i) {
        if (proofs[i].may_split() && proofs[i].fields.size() <= most_grouped_fields) {
            numbers_[proofs[i].set] = i;
        }
    }
}

void Uses::take(const Access& access) {
    const Cell at = points_to_.sets().resolve(access.at);
    const auto found = at ? numbers_.find(at.set) : numbers_.end();
    if (found != numbers_.end()) {
        take_fields(found->second, at, access);
    }
}

void Uses::take_fields(size_t number, Cell at, const Access& access) {
    const Proof& proof = proofs_[number];
    const auto [object, index] = object_of(access);
    ObjectUse& use = uses_[number][{object, proof.is_arrays ? index : nullptr}];
    use.is_fresh = is_fresh(proof, object);
    const double weight = weights_.of(*access.instruction);
    const auto offset = static_cast<uint64_t>(proof.within(at.offset));
    for (unsigned field = 0; field < proof.fields.size(); ++field) {
        if (proof.fields[field].offset < offset + access.bytes && offset < proof.fields[field].end()) {
            double& known = use.fields[field];
            known = std::max(known, weight);
            if (proof.fields[field].is_recursive) {
                links_[number].take(*access.instruction, object, field);
            }
        }
    }
}

std::vector<Usage> Uses::usages() const {
    std::vector<Usage> usages(proofs_.size());
    for (size_t i = 0; i < proofs_.size(); ++i) {
        usages[i] = {.visits = visits_of(uses_[i]), .links = links_[i].fields()};
    }
    return usages;
}

}  // namespace

std::vector<Usage> static_usage(const PointsTo& points_to, const std::vector<Proof>& proofs,
                                const Weights& weights) {
    Uses uses(points_to, proofs, weights);
    for (const Access& access : points_to.accesses()) {
        uses.take(access);
    }
    return uses.usages();
}

}  // namespace malloom::compiler
