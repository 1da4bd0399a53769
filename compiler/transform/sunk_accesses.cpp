#include "compiler/transform/sunk_accesses.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace malloom::compiler {

namespace {

/// Whether every way into the block can have a copy of what stands at its beginning.
bool has_plain_ways(llvm::BasicBlock& block) {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 4> seen;
    return !block.isEHPad() && llvm::all_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* before) {
        return llvm::isa<llvm::BranchInst>(before->getTerminator()) && seen.insert(before).second;
    });
}

/// The same as it is on each way into the block: a choice there, or made before.
bool is_known_before(const llvm::Value& value, const llvm::BasicBlock& block) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    return instruction == nullptr || instruction->getParent() != &block ||
           llvm::isa<llvm::PHINode>(instruction);
}

/// Whether nothing before it in its block would be overtaken.
bool may_go_first(const llvm::Instruction& access) {
    for (const llvm::Instruction& before : *access.getParent()) {
        if (&before == &access) {
            return true;
        }
        if (before.mayHaveSideEffects() || (access.mayWriteToMemory() && before.mayReadFromMemory())) {
            return false;
        }
    }
    return false;
}

bool is_sunk(llvm::Instruction& access) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
    if ((load == nullptr || !load->isSimple()) && (store == nullptr || !store->isSimple())) {
        return false;
    }
    llvm::BasicBlock& block = *access.getParent();
    const auto* choice = llvm::dyn_cast<llvm::PHINode>(llvm::getPointerOperand(&access));
    // A loop's own pointer is used for more: to come from one element to the next.
    return choice != nullptr && choice->getParent() == &block && choice->hasOneUse() &&
           (store == nullptr || is_known_before(*store->getValueOperand(), block)) && may_go_first(access) &&
           has_plain_ways(block);
}

/// The value as it is on the way from that block.
llvm::Value* value_from(llvm::Value* value, const llvm::BasicBlock& block, llvm::BasicBlock* before) {
    auto* choice = llvm::dyn_cast<llvm::PHINode>(value);
    return choice != nullptr && choice->getParent() == &block ? choice->getIncomingValueForBlock(before)
                                                              : value;
}

void divide(llvm::Instruction& access) {
    llvm::BasicBlock& block = *access.getParent();
    llvm::PHINode* loaded =
        access.getType()->isVoidTy() ? nullptr : llvm::PHINode::Create(access.getType(), 2);
    llvm::SmallPtrSet<llvm::BasicBlock*, 4> done;
    for (llvm::BasicBlock* before : llvm::to_vector(llvm::predecessors(&block))) {
        if (!done.insert(before).second) {
            continue;
        }
        if (before->getSingleSuccessor() == nullptr) {
            before = llvm::SplitEdge(before, &block);
        }
        llvm::Instruction* copy = access.clone();
        for (llvm::Use& operand : copy->operands()) {
            operand.set(value_from(operand.get(), block, before));
        }
        copy->insertBefore(before->getTerminator());
        if (loaded != nullptr) {
            loaded->addIncoming(copy, before);
        }
    }
    auto* choice = llvm::dyn_cast<llvm::PHINode>(llvm::getPointerOperand(&access));
    if (loaded != nullptr) {
        loaded->insertBefore(block.begin());
        access.replaceAllUsesWith(loaded);
    }
    access.eraseFromParent();
    if (choice->use_empty()) {
        choice->eraseFromParent();
    }
}

bool divide_in(llvm::BasicBlock& block) {
    bool changed = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
        if (is_sunk(instruction)) {
            divide(instruction);
            changed = true;
        }
    }
    return changed;
}

bool drop_assumptions(llvm::BasicBlock& block) {
    bool changed = false;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
        const auto* assumption = llvm::dyn_cast<llvm::AssumeInst>(&instruction);
        if (assumption != nullptr && assumption->hasOperandBundles()) {
            instruction.eraseFromParent();
            changed = true;
        }
    }
    return changed;
}

}  // namespace

bool divide_sunk_accesses(llvm::Module& module) {
    bool changed = false;
    for (llvm::Function& function : module) {
        if (function.isDeclaration()) {
            continue;
        }
        const llvm::DominatorTree dominators(function);
        std::vector<llvm::BasicBlock*> blocks;
        for (llvm::BasicBlock& block : function) {
            changed |= drop_assumptions(block);
            if (dominators.isReachableFromEntry(&block)) {
                blocks.push_back(&block);
            }
        }
        for (llvm::BasicBlock* block : blocks) {
            changed |= divide_in(*block);
        }
    }
    return changed;
}

}  // namespace malloom::compiler
