// Copies of functions, one for each context in which they are given other objects (analysis/contexts.h), so
// that what is requested in each context can come from pools of its own and have a layout of its own.
#pragma once

#include <functional>
#include <vector>

#include "compiler/analysis/contexts.h"

namespace malloom::compiler {

/// Where a value points to, where something is done with the objects there; no set where not.
using TreatedPlaceOf = std::function<Cell(const llvm::Value& value)>;

class ContextClones {
  public:
    /// Makes the copies, and lets each call in a context go to the callee's copy for its context.
    explicit ContextClones(Contexts contexts);

    /// Lets all calls of copies that are treated alike go to one of them. Functions that are no longer called
    /// stay in the module, for later passes to take away.
    void fold(const TreatedPlaceOf& treated_place_of);

  private:
    using Functions = llvm::DenseMap<const llvm::Function*, llvm::Function*>;
    /// Of a context, all that the rewriting goes by.
    using Signature = std::vector<std::pair<const void*, uint64_t>>;

    void copy(unsigned context, bool is_first);
    void put_sizes(unsigned context);
    void redirect(unsigned context, const std::vector<unsigned>& kept);
    Signature signature_of(unsigned context, const TreatedPlaceOf& treated_place_of,
                           const std::vector<unsigned>& kept) const;
    std::vector<unsigned> themselves() const;

    Contexts contexts_;
    std::vector<Functions> functions_;  ///< of each context: by the original, what stands for it
};

}  // namespace malloom::compiler
