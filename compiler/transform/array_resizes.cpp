#include "compiler/transform/array_resizes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include "compiler/analysis/requests.h"

namespace malloom::compiler {

namespace {

/// Whether it is called as the C library declares it.
bool is_resize(const llvm::CallBase& call) {
    return is_plain(call) && call.arg_size() == 3 && call.getType()->isPointerTy() &&
           call.getArgOperand(0)->getType()->isPointerTy() &&
           call.getArgOperand(1)->getType()->isIntegerTy(64) &&
           call.getArgOperand(2)->getType()->isIntegerTy(64);
}

void make_plain(llvm::CallBase& call) {
    llvm::IRBuilder<> code(&call);
    llvm::Value* product = code.CreateBinaryIntrinsic(llvm::Intrinsic::umul_with_overflow,
                                                      call.getArgOperand(1), call.getArgOperand(2));
    llvm::Value* bytes = code.CreateSelect(code.CreateExtractValue(product, 1), code.getInt64(UINT64_MAX),
                                           code.CreateExtractValue(product, 0));
    llvm::FunctionCallee resize =
        call.getModule()->getOrInsertFunction("realloc", code.getPtrTy(), code.getPtrTy(), code.getInt64Ty());
    llvm::CallBase* made = nullptr;
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
        made = code.CreateInvoke(resize, invoke->getNormalDest(), invoke->getUnwindDest(),
                                 {call.getArgOperand(0), bytes});
    } else {
        made = code.CreateCall(resize, {call.getArgOperand(0), bytes});
    }
    call.replaceAllUsesWith(made);
    call.eraseFromParent();
}

}  // namespace

bool make_plain_resizes(llvm::Module& module) {
    llvm::Function* function = module.getFunction("reallocarray");
    if (function == nullptr || !function->isDeclaration()) {
        return false;
    }
    bool has_changed = false;
    for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        if (call != nullptr && call->getCalledFunction() == function && is_resize(*call)) {
            make_plain(*call);
            has_changed = true;
        }
    }
    return has_changed;
}

}  // namespace malloom::compiler
