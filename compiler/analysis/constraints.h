// What each instruction says of pointers: the constraints of the points-to analysis.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstVisitor.h>

#include "compiler/analysis/library_functions.h"
#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

/// A number that is known, or 0.
uint64_t constant_of(const llvm::Value& value);

/// Whether a function is assembly, of which nothing is seen but its name.
inline bool is_assembly(const llvm::Function& function) {
    return function.hasFnAttribute(llvm::Attribute::Naked);
}

/// Whether a function may see more of a call's arguments than it names: where the call does not put those
/// that it names where the function takes them, as one by another type, what it has may be others.
bool may_see_unnamed(const llvm::CallBase& call, const llvm::Function& function);

/// The bits that a number changes, of addresses that it is combined with: those that it has, or where it says
/// which are kept, has not. 0 where others are changed than those that are 0 where an object begins.
uint64_t tag_bits(const llvm::Value& value, bool is_kept);

/// Which arguments of a call of an allocator say how many bytes are requested; none of any other call.
llvm::SmallVector<unsigned, 2> size_operands(const llvm::CallBase& call);

/// Goes once over every instruction; what must be gone over again is left in the analysis's lists.
class ConstraintVisitor : public llvm::InstVisitor<ConstraintVisitor> {
  public:
    explicit ConstraintVisitor(PointsTo& to)
        : to_(to),
          sets_(to.sets()),
          library_(llvm::Triple(to.module().getTargetTriple())),
          has_own_operators_(llvm::any_of(to.module(), [](const llvm::Function& function) {
              return !function.isDeclaration() && is_operator(function.getName());
          })) {}

    void take(llvm::Function& function);

    void visitAllocaInst(llvm::AllocaInst& instruction);
    void visitLoadInst(llvm::LoadInst& instruction);
    void visitStoreInst(llvm::StoreInst& instruction);
    void visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst& instruction);
    void visitAtomicRMWInst(llvm::AtomicRMWInst& instruction);
    void visitGetElementPtrInst(llvm::GetElementPtrInst& instruction);
    void visitPHINode(llvm::PHINode& instruction);
    void visitSelectInst(llvm::SelectInst& instruction);
    void visitFreezeInst(llvm::FreezeInst& instruction);
    void visitExtractElementInst(llvm::ExtractElementInst& instruction);
    void visitInsertElementInst(llvm::InsertElementInst& instruction);
    void visitShuffleVectorInst(llvm::ShuffleVectorInst& instruction);
    void visitExtractValueInst(llvm::ExtractValueInst& instruction);
    void visitInsertValueInst(llvm::InsertValueInst& instruction);
    void visitCastInst(llvm::CastInst& instruction);
    void visitUnaryOperator(llvm::UnaryOperator& instruction) { calculate(instruction); }
    void visitBinaryOperator(llvm::BinaryOperator& instruction);
    void visitReturnInst(llvm::ReturnInst& instruction);
    void visitCallBase(llvm::CallBase& instruction);
    void visitICmpInst(llvm::ICmpInst& instruction);
    void visitFCmpInst(llvm::FCmpInst&) {}
    void visitBranchInst(llvm::BranchInst&) {}
    void visitSwitchInst(llvm::SwitchInst&) {}
    void visitUnreachableInst(llvm::UnreachableInst&) {}
    void visitFenceInst(llvm::FenceInst&) {}
    /// Whatever else puts values together or takes them apart.
    void visitInstruction(llvm::Instruction& instruction);

  private:
    void same(llvm::Value& one, llvm::Value& other);
    llvm::SmallVector<Cell, 2> places_of(llvm::Value& address);
    void access(llvm::Instruction& instruction, llvm::Value& address, llvm::Type& type, bool is_write);
    void access_bytes(llvm::Instruction& instruction, llvm::Value& address, llvm::Value& bytes,
                      bool is_write);
    void calculate(llvm::Instruction& instruction);
    void take_tag(llvm::Instruction& instruction, llvm::Value& address, uint64_t bits, bool clears);
    void part(llvm::Value& whole, llvm::Value& element, uint64_t offset);
    void take_lane(llvm::Instruction& instruction, llvm::Value& vector, llvm::Value& element,
                   llvm::Value& index);
    bool is_of_library(const llvm::Function& callee) const;
    bool take_intrinsic(llvm::CallBase& call);
    bool take_heap_call(llvm::CallBase& call, llvm::Function& callee);
    void take_request(llvm::CallBase& call, HeapCall kind);
    void copy_letters(llvm::CallBase& call, Cell to);
    bool take_library_call(llvm::CallBase& call, llvm::Function& callee);
    void take_letters(llvm::CallBase& call, const LibraryFunction& function);
    void take_letters(llvm::CallBase& call, Cell from, uint64_t bytes, Cell to);
    void take_text(llvm::CallBase& call, unsigned number);
    void take_printed(llvm::CallBase& call, llvm::Value& given, llvm::ArrayRef<const llvm::Value*> formats);
    bool take_printing_call(llvm::CallBase& call, const llvm::Function& callee);
    bool may_have_unseen_callers(const llvm::Function& function);
    void take_library_argument(llvm::CallBase& call, unsigned number, const LibraryFunction& function);
    void take_callback(llvm::CallBase& call, const LibraryFunction& function);
    void take_library_result(llvm::CallBase& call, Result result);
    void link(Cell node, llvm::ArrayRef<int64_t> links, llvm::CallBase& call,
              const LibraryFunction& function);
    void take_unknown_call(llvm::CallBase& call, Rule rule);

    PointsTo& to_;
    AliasSets& sets_;
    llvm::TargetLibraryInfoImpl library_;
    bool has_own_operators_;  ///< new or delete, of any form
};

}  // namespace malloom::compiler
