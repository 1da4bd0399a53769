// What debug information calls structures and their fields. It names what accesses prove, and proves nothing.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <string>
#include <vector>

#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

/// A type without the names and qualifiers that it is given on top; null for void.
llvm::DIType* plain_type(llvm::DIType* type);
/// A structure, class or union, or null.
llvm::DICompositeType* as_structure(llvm::DIType* type);
/// Members that lie in each object, and base classes of which it is known where.
std::vector<llvm::DIDerivedType*> data_members(const llvm::DICompositeType& structure);
/// Bytes of a type; 0 where nobody knows.
uint64_t bytes_of(llvm::DIType* type);

/// The members that have a byte of so many from the offset on, those in inner structures as outer.inner,
/// several with a plus sign between them; offset+bytes where there is none.
std::string field_name(const llvm::DICompositeType* structure, uint64_t offset, uint64_t bytes);

/// The structures that pointers to whole objects of sets point to, by the program's variables.
class StructureNames {
  public:
    explicit StructureNames(const PointsTo& points_to);

    /// The one of objects of so many bytes; null where no variable says it.
    const llvm::DICompositeType* of(const AliasSet& set, uint64_t object_bytes) const;

  private:
    void take(llvm::DIType* type, Cell cell);
    void take_locals(const llvm::Function& function);
    void take_global(const llvm::GlobalVariable& variable);

    const PointsTo& points_to_;
    llvm::DenseMap<const AliasSet*, llvm::SmallVector<const llvm::DICompositeType*, 1>> structures_;
};

/// As a program's source has it: struct node; without a word in front in C++.
std::string written_name(const llvm::DICompositeType& structure);

}  // namespace malloom::compiler
