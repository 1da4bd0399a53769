#include "compiler/transform/verification.h"

#include <llvm/IR/Module.h>

namespace malloom::compiler {

void check_inside(llvm::IRBuilder<>& code, llvm::Value* address, uint64_t bytes, PoolNumbers pools) {
    llvm::Type *number = code.getInt32Ty(), *size = code.getInt64Ty();
    code.CreateCall(code.GetInsertBlock()->getModule()->getOrInsertFunction(
                        "malloom_verify_inside", code.getVoidTy(), code.getPtrTy(), size, number, number),
                    {address, code.getInt64(bytes), code.getInt32(pools.first), code.getInt32(pools.count)});
}

void check_in_arrays(llvm::IRBuilder<>& code, llvm::Value* address, uint64_t bytes,
                     llvm::GlobalVariable& descriptor) {
    code.CreateCall(
        code.GetInsertBlock()->getModule()->getOrInsertFunction(
            "malloom_check_array", code.getVoidTy(), code.getPtrTy(), code.getPtrTy(), code.getInt64Ty()),
        {&descriptor, address, code.getInt64(bytes)});
}

void check_outside(llvm::IRBuilder<>& code, llvm::Value* address, uint64_t bytes) {
    code.CreateCall(code.GetInsertBlock()->getModule()->getOrInsertFunction(
                        "malloom_verify_outside", code.getVoidTy(), code.getPtrTy(), code.getInt64Ty()),
                    {address, code.getInt64(bytes)});
}

}  // namespace malloom::compiler
