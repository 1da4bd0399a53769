// Which alias sets may get pools of their own, and which may have their objects split into fields; and for
// all others why not. Proves, and decides nothing.
#pragma once

#include <string>
#include <vector>

#include "compiler/analysis/fields.h"
#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

/// Why something cannot be done, and where in the program one sees it; null: nowhere in particular.
struct Refusal {
    std::string why;
    const llvm::Instruction* at = nullptr;
};

/// What is proven of an alias set whose objects are requested from the heap.
struct Proof {
    const AliasSet* set;
    uint64_t object_bytes = 0;       ///< of its objects, where they may be split
    std::vector<Field> fields = {};  ///< in the order of their offsets
    /// A pointer to another field may be one to the first: an object's address must lead to that.
    bool first_leads = false;
    std::vector<Refusal> pool_refusals = {};
    std::vector<Refusal> split_refusals = {};  ///< beside those

    bool may_pool() const { return pool_refusals.empty(); }
    bool may_split() const { return may_pool() && split_refusals.empty(); }
};

/// How pools serve a request.
enum class PoolService : uint8_t {
    none,     ///< they do not
    plain,    ///< with objects of its one size
    aligned,  ///< the same, aligned to more than malloc's: `alignment_of`
    any_size  ///< with objects of whatever size it asks for; the largest are malloc's all the same
};
PoolService pool_service(const Request& request);
bool is_served(const Request& request);
/// What an object of an aligned request is aligned to: a power of two.
uint64_t alignment_of(const Request& request);

/// A proof for each heap set of a program, in the order of their first requests.
std::vector<Proof> prove(const PointsTo& points_to);

}  // namespace malloom::compiler
