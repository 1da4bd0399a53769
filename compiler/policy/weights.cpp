#include "compiler/policy/weights.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/IR/InstrTypes.h>

#include <algorithm>

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

}  // namespace

/// Callers before what they call.
Weights::Weights(llvm::Module& module, const FrequenciesOf& frequencies_of)
    : frequencies_of_(frequencies_of) {
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
        take(group);
    }
}

double Weights::of(const llvm::Instruction& instruction) const {
    const llvm::Function& function = *instruction.getFunction();
    return of_function(&function) *
           share_of(frequencies_of_(const_cast<llvm::Function&>(function)), *instruction.getParent());
}

/// Called by nobody that is seen: once.
double Weights::of_function(const llvm::Function* function) const {
    const auto found = weights_.find(function);
    return found == weights_.end() ? 1 : found->second;
}

void Weights::take(const std::vector<llvm::CallGraphNode*>& group) {
    double all = 0;
    for (const llvm::CallGraphNode* node : group) {
        all += of_function(node->getFunction());
    }
    for (const llvm::CallGraphNode* node : group) {
        llvm::Function* function = node->getFunction();
        if (function == nullptr || function->isDeclaration()) {
            continue;
        }
        const bool calls_itself = recursive_.contains(function);
        const double weight = std::min(most_weight, calls_itself ? all * recursion : of_function(function));
        weights_[function] = weight;
        give_to_callees(*node, weight, group);
    }
}

void Weights::give_to_callees(const llvm::CallGraphNode& node, double weight,
                              const std::vector<llvm::CallGraphNode*>& group) {
    for (const auto& [call, callee] : node) {
        const llvm::Function* function = callee->getFunction();
        if (!call || !*call || function == nullptr || llvm::is_contained(group, callee)) {
            continue;
        }
        const auto& site = llvm::cast<llvm::CallBase>(**call);
        llvm::BlockFrequencyInfo& frequencies = frequencies_of_(*node.getFunction());
        weights_[function] += weight * share_of(frequencies, *site.getParent());
    }
}

}  // namespace malloom::compiler
