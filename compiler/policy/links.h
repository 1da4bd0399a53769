// Links: fields whose pointers a program follows on and on, from object to object, so that it waits for each.
// A pointer to an object that is only looked at is none.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace malloom::compiler {

/// Of one set's objects. It must not outlive the module.
class Links {
  public:
    /// A load of a pointer to objects of the set from a field, by way of `object`, the pointer to the object
    /// that has the field; null where that is something else.
    void take(const llvm::Instruction& load, const llvm::Value* object, unsigned field);
    /// The fields that are links, by the bits of their numbers.
    uint64_t fields() const;

  private:
    struct Load {
        const llvm::Value* loaded;
        unsigned field;
    };
    bool leads_on(const llvm::Value* loaded) const;

    std::vector<Load> loads_;
    llvm::DenseSet<const llvm::Value*> objects_;  ///< pointers to objects from which others are reached
};

}  // namespace malloom::compiler
