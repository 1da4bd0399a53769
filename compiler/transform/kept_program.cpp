#include "compiler/transform/kept_program.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace malloom::compiler {

namespace {

/// A comdat belongs to its module.
void take_comdats(llvm::Module& to) {
    for (llvm::GlobalObject& object : to.global_objects()) {
        if (const llvm::Comdat* old = object.getComdat()) {
            llvm::Comdat* taken = to.getOrInsertComdat(old->getName());
            taken->setSelectionKind(old->getSelectionKind());
            object.setComdat(taken);
        }
    }
}

void take_named_metadata(llvm::Module& to, llvm::Module& from) {
    for (llvm::NamedMDNode& node : from.named_metadata()) {
        llvm::NamedMDNode* taken = to.getOrInsertNamedMetadata(node.getName());
        taken->clearOperands();
        for (llvm::MDNode* operand : node.operands()) {
            taken->addOperand(operand);
        }
    }
}

/// Moves everything that has a name, in its order, to a module that has nothing.
void take_all(llvm::Module& to, llvm::Module& from) {
    to.getFunctionList().splice(to.end(), from.getFunctionList());
    for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(from.globals())) {
        from.removeGlobalVariable(&variable);
        to.insertGlobalVariable(&variable);
    }
    for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(from.aliases())) {
        from.removeAlias(&alias);
        to.insertAlias(&alias);
    }
    for (llvm::GlobalIFunc& chosen : llvm::make_early_inc_range(from.ifuncs())) {
        from.removeIFunc(&chosen);
        to.insertIFunc(&chosen);
    }
    take_comdats(to);
    take_named_metadata(to, from);
}

std::unique_ptr<llvm::Module> empty_like(const llvm::Module& module) {
    auto made = std::make_unique<llvm::Module>(module.getModuleIdentifier(), module.getContext());
    made->setDataLayout(module.getDataLayout());
    made->setTargetTriple(module.getTargetTriple());
    return made;
}

/// What addresses of labels are in the copy. None where the program has no such addresses.
llvm::ValueToValueMapTy& take_labels(llvm::ValueToValueMapTy& to, llvm::Module& original,
                                     const llvm::ValueToValueMapTy& copies) {
    for (llvm::Function& function : original) {
        for (llvm::BasicBlock& block : function) {
            if (block.hasAddressTaken()) {
                to[&block] = copies.lookup(&block);
            }
        }
    }
    if (!to.empty()) {
        for (llvm::GlobalValue& each : original.global_values()) {
            to[&each] = copies.lookup(&each);
        }
    }
    return to;
}

/// CloneModule copies what variables begin with before the code, and so leaves them the labels of the
/// original, also where the code has the same ones.
void lead_to_own_labels(llvm::Module& copy, llvm::Module& original, const llvm::ValueToValueMapTy& copies) {
    llvm::ValueToValueMapTy known;
    if (take_labels(known, original, copies).empty()) {
        return;
    }
    for (llvm::GlobalVariable& variable : original.globals()) {
        if (variable.hasInitializer()) {
            llvm::cast<llvm::GlobalVariable>(known.lookup(&variable))
                ->setInitializer(llvm::MapValue(variable.getInitializer(), known));
        }
    }
    for (llvm::Function& function : copy) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            for (llvm::Use& use : instruction.operands()) {
                if (llvm::isa<llvm::BlockAddress, llvm::ConstantExpr, llvm::ConstantAggregate>(use)) {
                    use.set(llvm::MapValue(use.get(), known));
                }
            }
        }
    }
}

}  // namespace

void KeptProgram::keep(llvm::Module& module) {
    kept_ = empty_like(module);
    take_all(*kept_, module);
    llvm::ValueToValueMapTy copies;
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*kept_, copies);
    lead_to_own_labels(*copy, *kept_, copies);
    take_all(module, *copy);
}

void KeptProgram::put_back(llvm::Module& module) {
    const std::unique_ptr<llvm::Module> gone = empty_like(module);
    take_all(*gone, module);
    take_all(module, *kept_);
    kept_.reset();
}

}  // namespace malloom::compiler
