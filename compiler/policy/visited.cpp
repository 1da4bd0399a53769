#include "compiler/policy/visited.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace malloom::compiler {

namespace {

/// The last index that is no constant, or null.
const llvm::Value* variable_index(const llvm::GEPOperator& address) {
    const llvm::Value* found = nullptr;
    for (const llvm::Use& index : address.indices()) {
        found = llvm::isa<llvm::Constant>(index) ? found : index.get();
    }
    return found;
}

}  // namespace

std::pair<const llvm::Value*, const llvm::Value*> object_of(const Access& access) {
    const llvm::Value* pointer = llvm::getPointerOperand(access.instruction);
    if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(access.instruction)) {
        pointer = change->getPointerOperand();
    } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(access.instruction)) {
        pointer = exchange->getPointerOperand();
    } else if (pointer == nullptr) {
        const auto* call = llvm::cast<llvm::CallBase>(access.instruction);
        pointer = call->getArgOperand(!access.is_write && call->arg_size() > 1 ? 1 : 0);
    }
    const llvm::Value* index = nullptr;
    while (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
        index = index == nullptr ? variable_index(*address) : index;
        pointer = address->getPointerOperand();
    }
    return {pointer, index};
}

bool is_fresh(const Proof& proof, const llvm::Value* object) {
    return llvm::any_of(proof.set->requests, [&](const Request& request) { return request.call == object; });
}

}  // namespace malloom::compiler
