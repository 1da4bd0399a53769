// How an address is calculated from another one, as an instruction or a constant says it. Whoever goes by it,
// the points-to analysis, the proofs, the rewriting, reads what was found once.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <memory>
#include <vector>

#include "compiler/analysis/variable_offsets.h"

namespace malloom::compiler {

/// From `root` so many bytes further, and for each index as many times its bytes.
struct Way {
    llvm::Value* root;
    int64_t first = 0;
    VariableOffsets indices;
    /// Where there is one index, and that is one of few constants: these.
    std::vector<int64_t> choices = {};
    /// Such a choice through which memory is loaded and stored, and nothing else is done.
    bool is_of_fields = false;
    bool is_known = true;  ///< else it may lead anywhere

    const llvm::Value* index() const { return indices.size() == 1 ? indices.front().first : nullptr; }
    /// Where one of the choices leads, in bytes from the root.
    int64_t bytes_of(int64_t choice) const { return first + choice * indices.front().second.getSExtValue(); }
};

/// All that were asked for. Not thread-safe. The module must stay as it is until the last new one was asked
/// for.
class Ways {
  public:
    explicit Ways(const llvm::DataLayout& layout) : layout_(layout) {}

    const Way& of(const llvm::GEPOperator& address) const;
    /// Of an address that is one field or another of an object; null of any other value.
    const Way* of_fields(const llvm::Value& address) const;

  private:
    const llvm::DataLayout& layout_;
    mutable llvm::DenseMap<const llvm::GEPOperator*, std::unique_ptr<Way>> known_;
};

}  // namespace malloom::compiler
