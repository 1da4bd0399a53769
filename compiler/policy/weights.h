// How often the code of a program runs, as far as it tells by itself: loops and calls have weights.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/CallGraph.h>

#include <functional>
#include <vector>

namespace malloom::compiler {

using FrequenciesOf = std::function<llvm::BlockFrequencyInfo&(llvm::Function& function)>;

/// Of one module, as it was when this was made. What gives the frequencies must outlive it.
class Weights {
  public:
    Weights(llvm::Module& module, const FrequenciesOf& frequencies_of);

    /// How often the instruction runs, relative to a run of the program's entry.
    double of(const llvm::Instruction& instruction) const;

  private:
    double of_function(const llvm::Function* function) const;
    void take(const std::vector<llvm::CallGraphNode*>& group);
    void give_to_callees(const llvm::CallGraphNode& node, double weight,
                         const std::vector<llvm::CallGraphNode*>& group);

    const FrequenciesOf& frequencies_of_;
    llvm::DenseMap<const llvm::Function*, double> weights_;
    llvm::SmallPtrSet<const llvm::Function*, 8> recursive_;
};

}  // namespace malloom::compiler
