#include "compiler/transform/kept_program.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Transforms/Utils/Cloning.h>

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

}  // namespace

void KeptProgram::keep(llvm::Module& module) {
    kept_ = empty_like(module);
    take_all(*kept_, module);
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*kept_);
    take_all(module, *copy);
}

void KeptProgram::put_back(llvm::Module& module) {
    const std::unique_ptr<llvm::Module> gone = empty_like(module);
    take_all(*gone, module);
    take_all(module, *kept_);
    kept_.reset();
}

}  // namespace malloom::compiler
