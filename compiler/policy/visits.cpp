#include "compiler/policy/visits.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "compiler/policy/links.h"

namespace malloom::compiler {

namespace {

/// How often a call of a recursive function calls it again, where nobody knows: as often as LLVM takes a loop
/// to go round whose bounds are not known.
constexpr double recursion = 32;
/// Weights stay numbers, however deep loops and calls lie in each other.
constexpr double most_weight = 1e15;

double share_of(llvm::BlockFrequencyInfo& frequencies, const llvm::BasicBlock& block) {
    const auto entry = static_cast<double>(frequencies.getEntryFreq().getFrequency());
    return static_cast<double>(frequencies.getBlockFreq(&block).getFrequency()) / std::max(entry, 1.0);
}

/// How often functions run: callers before what they call.
class CallWeights {
  public:
    CallWeights(llvm::Module& module, const FrequenciesOf& frequencies_of) {
        llvm::CallGraph calls(module);
        std::vector<std::vector<llvm::CallGraphNode*>> groups;
        for (auto group = llvm::scc_begin(&calls); !group.isAtEnd(); ++group) {
            if (group.hasCycle()) {
                for (const llvm::CallGraphNode* node : *group) {
                    recursive_.insert(node->getFunction());
                }
            }
            groups.push_back(*group);
        }
        for (const auto& group : llvm::reverse(groups)) {
            take(group, frequencies_of);
        }
    }

    double operator()(const llvm::Function& function) const {
        const auto found = weights_.find(&function);
        return found == weights_.end() ? 1 : found->second;
    }

  private:
    void take(const std::vector<llvm::CallGraphNode*>& group, const FrequenciesOf& frequencies_of) {
        double all = 0;
        for (const llvm::CallGraphNode* node : group) {
            all += weight_of(node->getFunction());
        }
        for (const llvm::CallGraphNode* node : group) {
            llvm::Function* function = node->getFunction();
            if (function == nullptr || function->isDeclaration()) {
                continue;
            }
            const bool calls_itself = recursive_.contains(function);
            const double weight = std::min(most_weight, calls_itself ? all * recursion : weight_of(function));
            weights_[function] = weight;
            give_to_callees(*node, weight, frequencies_of(*function), group);
        }
    }

    void give_to_callees(const llvm::CallGraphNode& node, double weight,
                         llvm::BlockFrequencyInfo& frequencies,
                         const std::vector<llvm::CallGraphNode*>& group) {
        for (const auto& [call, callee] : node) {
            const llvm::Function* function = callee->getFunction();
            if (!call || !*call || function == nullptr || llvm::is_contained(group, callee)) {
                continue;
            }
            const auto& site = llvm::cast<llvm::CallBase>(**call);
            weights_[function] += weight * share_of(frequencies, *site.getParent());
        }
    }

    /// Called by nobody that is seen: once.
    double weight_of(const llvm::Function* function) const {
        const auto found = weights_.find(function);
        return found == weights_.end() ? 1 : found->second;
    }

    llvm::DenseMap<const llvm::Function*, double> weights_;
    llvm::SmallPtrSet<const llvm::Function*, 8> recursive_;
};

/// The accesses through one pointer of one function: to one object at a time.
struct ObjectUse {
    llvm::MapVector<unsigned, double> fields;  ///< with how often
    bool is_fresh = false;
};

/// By a pointer, and the index of a structure in the array that it leads to; null: the first.
using ObjectUses = llvm::MapVector<std::pair<const llvm::Value*, const llvm::Value*>, ObjectUse>;

/// The last index that is no constant, or null.
const llvm::Value* variable_index(const llvm::GEPOperator& address) {
    const llvm::Value* found = nullptr;
    for (const llvm::Use& index : address.indices()) {
        found = llvm::isa<llvm::Constant>(index) ? found : index.get();
    }
    return found;
}

std::pair<const llvm::Value*, const llvm::Value*> object_of(const Access& access) {
    const llvm::Value* pointer = llvm::getPointerOperand(access.instruction);
    if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(access.instruction)) {
        pointer = change->getPointerOperand();
    } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(access.instruction)) {
        pointer = exchange->getPointerOperand();
    } else if (pointer == nullptr) {
        const auto* call = llvm::cast<llvm::CallBase>(access.instruction);
        pointer = call->getArgOperand(!access.is_write && call->arg_size() > 1 ? 1 : 0);
    }
    const llvm::Value* index = nullptr;
    while (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
        index = index == nullptr ? variable_index(*address) : index;
        pointer = address->getPointerOperand();
    }
    return {pointer, index};
}

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

}  // namespace

std::vector<Usage> static_usage(const PointsTo& points_to, const std::vector<Proof>& proofs,
                                const FrequenciesOf& frequencies_of) {
    auto& module = const_cast<llvm::Module&>(points_to.module());
    const CallWeights weights(module, frequencies_of);
    llvm::DenseMap<const AliasSet*, size_t> numbers;
    for (size_t i = 0; i < proofs.size(); ++i) {
        if (proofs[i].may_split() && proofs[i].fields.size() <= most_fields) {
            numbers[proofs[i].set] = i;
        }
    }
    std::vector<ObjectUses> uses(proofs.size());
    std::vector<Links> links(proofs.size());
    for (const Access& access : points_to.accesses()) {
        const Cell at = points_to.sets().resolve(access.at);
        const auto found = at ? numbers.find(at.set) : numbers.end();
        if (found == numbers.end()) {
            continue;
        }
        const Proof& proof = proofs[found->second];
        const auto [object, index] = object_of(access);
        ObjectUse& use = uses[found->second][{object, proof.is_arrays ? index : nullptr}];
        use.is_fresh = llvm::any_of(proof.set->requests, [&object = object](const Request& request) {
            return request.call == object;
        });
        llvm::Function& function = *access.instruction->getFunction();
        const double weight =
            weights(function) * share_of(frequencies_of(function), *access.instruction->getParent());
        for (unsigned field = 0; field < proof.fields.size(); ++field) {
            const auto offset = static_cast<uint64_t>(proof.within(at.offset));
            if (proof.fields[field].offset < offset + access.bytes && offset < proof.fields[field].end()) {
                double& known = use.fields[field];
                known = std::max(known, weight);
                if (proof.fields[field].is_recursive) {
                    links[found->second].take(*access.instruction, object, field);
                }
            }
        }
    }
    std::vector<Usage> usages(proofs.size());
    for (size_t i = 0; i < proofs.size(); ++i) {
        usages[i] = {.visits = visits_of(uses[i]), .links = links[i].fields()};
    }
    return usages;
}

}  // namespace malloom::compiler
