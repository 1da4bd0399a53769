// Addresses in arrays of structures: from one structure to others, whose number is known or calculated.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/ValueHandle.h>

#include "compiler/analysis/variable_offsets.h"
#include "compiler/transform/addresses.h"

namespace malloom::compiler {

/// Goes from addresses to others, and remembers by which structures it came there: from `all` by way of
/// `&all[i]` to the array of another field it goes from `all`, as the way there is the same for all i.
class ArrayWalks {
  public:
    /// Bytes to be added to an address: a constant, and values that have a factor each.
    struct Steps {
        int64_t bytes;
        VariableOffsets variable;
    };

    /// From a pointer to an offset of a structure as many bytes further as the steps are in the original.
    /// `to` is the place where that leads.
    llvm::Value* walk(llvm::IRBuilder<>& code, const SplitObjects& objects, llvm::Value* pointer,
                      int64_t offset, const Steps& steps);
    /// The same without steps: to another place of the same structure.
    llvm::Value* move(llvm::IRBuilder<>& code, const SplitObjects& objects, llvm::Value* pointer, Place from,
                      Place to);

  private:
    /// How an address was found: so many structures behind one that another leads to.
    struct Way {
        llvm::WeakTrackingVH root;  ///< may be an address that is replaced later
        Place place;                ///< of the root
        llvm::Value* structures;
    };

    llvm::Value* walk(llvm::IRBuilder<>& code, const SplitObjects& objects, llvm::Value* pointer, Place from,
                      Place to, llvm::Value* structures);

    llvm::DenseMap<const llvm::Value*, Way> ways_;
};

}  // namespace malloom::compiler
