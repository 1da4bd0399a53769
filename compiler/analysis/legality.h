// Which alias sets may get pools of their own, and which may have their objects split into fields; and for
// all others why not. Proves, and decides nothing.
#pragma once

#include <llvm/Support/MathExtras.h>

#include <vector>

#include "compiler/analysis/fields.h"
#include "compiler/analysis/points_to.h"
#include "compiler/analysis/requests.h"

namespace malloom::compiler {

/// Why something cannot be done, and where in the program one sees it; null: nowhere in particular.
struct Refusal {
    Rule rule;
    const llvm::Instruction* at = nullptr;
};

/// What is proven of an alias set whose objects are requested from the heap.
struct Proof {
    const AliasSet* set;
    uint64_t object_bytes = 0;       ///< of its objects, where they may be split
    bool is_arrays = false;          ///< its objects are arrays of structures of so many bytes
    std::vector<Field> fields = {};  ///< in the order of their offsets
    /// A pointer to another field may be one to the first: an object's address must lead to that.
    bool first_leads = false;
    std::vector<Refusal> pool_refusals = {};
    std::vector<Refusal> split_refusals = {};  ///< beside those

    bool may_pool() const { return pool_refusals.empty(); }
    /// Where a byte is in its object: in arrays, in its structure.
    int64_t within(int64_t offset) const {
        return is_arrays ? llvm::mod(offset, static_cast<int64_t>(object_bytes)) : offset;
    }
    bool may_split() const { return may_pool() && split_refusals.empty(); }
};

/// A proof for each heap set of a program, in the order of their first requests.
std::vector<Proof> prove(const PointsTo& points_to);

}  // namespace malloom::compiler
