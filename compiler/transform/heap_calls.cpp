#include "compiler/transform/heap_calls.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/analysis/library_functions.h"
#include "compiler/transform/addresses.h"

namespace malloom::compiler {

namespace {

/// A function of include/malloom/pools.h; what it gives is nobody else's.
llvm::FunctionCallee function_of(llvm::Module& module, llvm::StringRef name, llvm::Type* result,
                                 llvm::ArrayRef<llvm::Type*> arguments) {
    llvm::FunctionCallee callee =
        module.getOrInsertFunction(name, llvm::FunctionType::get(result, arguments, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    if (result->isPointerTy()) {
        function->addRetAttr(llvm::Attribute::NoAlias);
    }
    return callee;
}

llvm::CallInst* request(llvm::IRBuilder<>& code, llvm::Module& module, const Pools& pools) {
    llvm::Type *number = code.getInt32Ty(), *size = code.getInt64Ty(), *pointer = code.getPtrTy();
    if (pools.layout == nullptr) {
        return code.CreateCall(
            function_of(module, "malloom_pool_alloc", pointer, {number, size, size}),
            {code.getInt32(pools.number), code.getInt64(pools.object_bytes), code.getInt64(pools.pool_bytes)});
    }
    return code.CreateCall(
        function_of(module, "malloom_split_alloc", pointer, {number, size, size, size}),
        {code.getInt32(pools.number), code.getInt64(pools.layout->element_bytes(0)),
         code.getInt64(pools.layout->object_bytes()), code.getInt64(pools.pool_bytes)});
}

/// All bytes of the object that are a field's, where there is an object.
void zero(llvm::CallInst& object, const Pools& pools) {
    llvm::IRBuilder<> code(object.getNextNode());
    llvm::Instruction* inside =
        llvm::SplitBlockAndInsertIfThen(code.CreateIsNotNull(&object), object.getNextNode(), false);
    code.SetInsertPoint(inside);
    if (pools.layout == nullptr) {
        code.CreateMemSet(&object, code.getInt8(0), pools.object_bytes, llvm::Align(16));
        return;
    }
    for (const Field& field : pools.layout->fields()) {
        const Place place = pools.layout->place_of(field.offset);
        code.CreateMemSet(move(code, *pools.layout, &object, Place{0, 0}, place), code.getInt8(0), field.bytes,
                          llvm::Align(pools.layout->alignment_of(place)));
    }
}

}  // namespace

void rewrite_request(llvm::CallBase& call, const Pools& pools) {
    llvm::Module& module = *call.getModule();
    llvm::IRBuilder<> code(&call);
    const bool zeroes = heap_call(call.getCalledFunction()->getName()) == HeapCall::calloc;
    llvm::CallInst* object = request(code, module, pools);
    call.replaceAllUsesWith(object);
    call.eraseFromParent();
    if (zeroes) {
        zero(*object, pools);
    }
}

void rewrite_release(llvm::CallBase& call, bool is_split) {
    llvm::IRBuilder<> code(&call);
    const char* name = is_split ? "malloom_split_free" : "malloom_pool_free";
    code.CreateCall(function_of(*call.getModule(), name, code.getVoidTy(), {code.getPtrTy()}),
                    {call.getArgOperand(0)});
    call.eraseFromParent();
}

void rewrite_resize(llvm::CallBase& call) {
    llvm::IRBuilder<> code(&call);
    call.setCalledFunction(function_of(*call.getModule(), "malloom_pool_realloc", code.getPtrTy(),
                                       {code.getPtrTy(), code.getInt64Ty()}));
}

}  // namespace malloom::compiler
