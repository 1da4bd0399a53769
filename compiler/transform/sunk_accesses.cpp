#include "compiler/transform/sunk_accesses.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace malloom::compiler {

namespace {

/// Whether every way into the block can have a copy of what stands at its beginning.
bool has_plain_ways(llvm::BasicBlock& block) {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 4> seen;
    return !block.isEHPad() && llvm::all_of(llvm::predecessors(&block), [&](const llvm::BasicBlock* before) {
        return llvm::isa<llvm::BranchInst>(before->getTerminator()) && seen.insert(before).second;
    });
}

/// The last access through a choice of addresses that has no other use; null where it has.
llvm::Instruction* last_access(const llvm::PHINode& choice) {
    llvm::Instruction* last = nullptr;
    for (const llvm::Use& use : choice.uses()) {
        auto* user = llvm::cast<llvm::Instruction>(use.getUser());
        const bool accesses = llvm::isa<llvm::LoadInst, llvm::StoreInst>(user) &&
                              llvm::getPointerOperand(user) == &choice &&
                              user->getParent() == choice.getParent();
        // A loop's own pointer is used for more: to come from one element to the next.
        if (!accesses || (llvm::isa<llvm::StoreInst>(user) && user->getOperand(0) == &choice)) {
            return nullptr;
        }
        last = last == nullptr || last->comesBefore(user) ? user : last;
    }
    return last;
}

/// Whether a copy on each way into the block can stand for all that the block begins with, down to the last.
bool may_be_divided(const llvm::Instruction& last) {
    constexpr unsigned most_instructions = 16;
    unsigned count = 0;
    for (const llvm::Instruction& instruction : *last.getParent()) {
        if (llvm::isa<llvm::PHINode>(instruction)) {
            continue;
        }
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (++count > most_instructions || instruction.isAtomic() || instruction.isVolatile() ||
            instruction.getType()->isTokenTy() || llvm::isa<llvm::AllocaInst>(instruction) ||
            (call != nullptr && (call->cannotDuplicate() || call->isConvergent() || !call->doesNotThrow()))) {
            return false;
        }
        if (&instruction == &last) {
            return true;
        }
    }
    return false;
}

/// Choices of compilation's making: of what was not the same in the source.
bool is_sunk(const llvm::PHINode& choice) {
    if (!choice.getType()->isPointerTy() || choice.hasConstantValue() != nullptr) {
        return false;
    }
    const llvm::Instruction* last = last_access(choice);
    return last != nullptr && may_be_divided(*last);
}

/// What the block begins with goes to the ends of the ways into it, and what is used of it later is chosen.
void divide(llvm::BasicBlock& block, llvm::Instruction& last) {
    llvm::SmallVector<llvm::Instruction*> gone;
    for (llvm::Instruction& instruction :
         llvm::make_range(block.getFirstNonPHIIt(), std::next(last.getIterator()))) {
        gone.push_back(&instruction);
    }
    llvm::DominatorTree dominators(*block.getParent());
    llvm::DomTreeUpdater updater(dominators, llvm::DomTreeUpdater::UpdateStrategy::Lazy);
    llvm::DenseMap<llvm::Instruction*, llvm::PHINode*> chosen;
    for (llvm::Instruction* instruction : gone) {
        if (!instruction->use_empty()) {
            chosen[instruction] = llvm::PHINode::Create(instruction->getType(), 2);
        }
    }
    for (llvm::BasicBlock* before : llvm::to_vector(llvm::predecessors(&block))) {
        llvm::ValueToValueMapTy copies;
        llvm::BasicBlock* way =
            llvm::DuplicateInstructionsInSplitBetween(&block, before, last.getNextNode(), copies, updater);
        for (auto& [instruction, choice] : chosen) {
            choice->addIncoming(copies[instruction], way);
        }
    }
    for (llvm::Instruction* instruction : llvm::reverse(gone)) {
        if (llvm::PHINode* choice = chosen.lookup(instruction)) {
            choice->insertBefore(block.begin());
            instruction->replaceAllUsesWith(choice);
        }
        instruction->eraseFromParent();
    }
    updater.flush();
}

bool divide_in(llvm::BasicBlock& block) {
    bool changed = false;
    for (bool again = has_plain_ways(block); again;) {
        const auto sunk = llvm::find_if(block.phis(), is_sunk);
        again = sunk != block.phis().end();
        if (again) {
            llvm::PHINode& choice = *sunk;
            divide(block, *last_access(choice));
            choice.eraseFromParent();
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
