#include "compiler/transform/layout_claims.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/Instructions.h>

namespace malloom::compiler {

namespace {

llvm::AttributeMask claims() {
    llvm::AttributeMask found;
    for (const auto kind : {llvm::Attribute::Alignment, llvm::Attribute::Dereferenceable,
                            llvm::Attribute::DereferenceableOrNull, llvm::Attribute::Initializes}) {
        found.addAttribute(kind);
    }
    return found;
}

bool gives(const llvm::BasicBlock& block, PointerTest is_split) {
    const auto* leaving = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    return leaving != nullptr && leaving->getReturnValue() != nullptr && is_split(leaving->getReturnValue());
}

}  // namespace

void forget_claims(llvm::Function& function, PointerTest is_split) {
    for (llvm::Argument& argument : function.args()) {
        if (is_split(&argument)) {
            argument.removeAttrs(claims());
        }
    }
    if (llvm::any_of(function, [&](const llvm::BasicBlock& block) { return gives(block, is_split); })) {
        function.removeRetAttrs(claims());
        function.removeFnAttr(llvm::Attribute::AllocSize);
    }
}

void forget_claims(llvm::Instruction& instruction, PointerTest is_split) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load != nullptr && is_split(load)) {
        for (const unsigned kind : {llvm::LLVMContext::MD_align, llvm::LLVMContext::MD_dereferenceable,
                                    llvm::LLVMContext::MD_dereferenceable_or_null}) {
            load->setMetadata(kind, nullptr);
        }
    }
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) {
        return;
    }
    if (is_split(call)) {
        call->removeRetAttrs(claims());
        call->removeFnAttr(llvm::Attribute::AllocSize);
    }
    for (unsigned i = 0; i < call->arg_size(); ++i) {
        if (is_split(call->getArgOperand(i))) {
            call->removeParamAttrs(i, claims());
        }
    }
}

}  // namespace malloom::compiler
