// How a program uses the fields of its objects, as far as its code alone tells: loops and calls have weights.
#pragma once

#include <llvm/Analysis/BlockFrequencyInfo.h>

#include <functional>
#include <vector>

#include "compiler/analysis/legality.h"

namespace malloom::compiler {

/// Fields of one object that are accessed together, as a set of bits by their numbers.
struct Visit {
    uint64_t fields;
    double weight;  ///< how often, relative to a run of the program's entry
    bool is_fresh;  ///< of an object that was just requested: objects come in the order of their places
};
/// A set of more fields than a word has bits has no visits.
constexpr size_t most_fields = 64;

using FrequenciesOf = std::function<llvm::BlockFrequencyInfo&(llvm::Function& function)>;

/// The visits to the objects of each proof, in their order.
std::vector<std::vector<Visit>> static_visits(const PointsTo& points_to, const std::vector<Proof>& proofs,
                                              const FrequenciesOf& frequencies_of);

}  // namespace malloom::compiler
