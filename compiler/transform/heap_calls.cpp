#include "compiler/transform/heap_calls.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <string>

#include "compiler/analysis/library_functions.h"
#include "compiler/transform/addresses.h"

namespace malloom::compiler {

namespace {

/// Of calls that are known to be of an allocator.
HeapCall kind_of(const llvm::CallBase& call) {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access)
    return heap_call(call.getCalledFunction()->getName()).value();
}

/// A function of include/malloom/pools.h; what it gives is nobody else's.
llvm::FunctionCallee function_of(llvm::Module& module, const std::string& name, llvm::Type* result,
                                 llvm::ArrayRef<llvm::Type*> arguments, bool may_throw = false) {
    llvm::FunctionCallee callee =
        module.getOrInsertFunction(name, llvm::FunctionType::get(result, arguments, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    if (!may_throw) {
        function->setDoesNotThrow();
    }
    if (result->isPointerTy()) {
        function->addRetAttr(llvm::Attribute::NoAlias);
    }
    return callee;
}

/// In place of another call, with its ways on.
llvm::CallBase* call_in_place(llvm::CallBase& old, llvm::FunctionCallee callee,
                              llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::IRBuilder<> code(&old);
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&old)) {
        return code.CreateInvoke(callee, invoke->getNormalDest(), invoke->getUnwindDest(), arguments);
    }
    return code.CreateCall(callee, arguments);
}

llvm::CallBase* request(llvm::CallBase& call, const Pools& pools) {
    llvm::IRBuilder<> code(&call);
    llvm::Type *number = code.getInt32Ty(), *size = code.getInt64Ty(), *pointer = code.getPtrTy();
    const bool may_throw = kind_of(call) == HeapCall::new_object;
    const std::string suffix = may_throw ? "new" : "alloc";
    llvm::Module& module = *call.getModule();
    if (pools.layout == nullptr) {
        return call_in_place(
            call, function_of(module, "malloom_pool_" + suffix, pointer, {number, size, size}, may_throw),
            {code.getInt32(pools.number), code.getInt64(pools.object_bytes),
             code.getInt64(pools.pool_bytes)});
    }
    return call_in_place(
        call, function_of(module, "malloom_split_" + suffix, pointer, {number, size, size, size}, may_throw),
        {code.getInt32(pools.number), code.getInt64(pools.layout->element_bytes(0)),
         code.getInt64(pools.layout->object_bytes()), code.getInt64(pools.pool_bytes)});
}

/// All bytes of the object that are a field's, where there is an object.
void zero(llvm::Instruction& object, const Pools& pools) {
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
        code.CreateMemSet(move(code, *pools.layout, &object, Place{0, 0}, place), code.getInt8(0),
                          field.bytes, llvm::Align(pools.layout->alignment_of(place)));
    }
}

}  // namespace

void rewrite_request(llvm::CallBase& call, const Pools& pools) {
    const bool zeroes = kind_of(call) == HeapCall::calloc;
    llvm::CallBase* requested = &call;
    // What does not throw needs no way for exceptions, and is followed by what comes after it.
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call); invoke != nullptr && zeroes) {
        requested = llvm::changeToCall(invoke);
    }
    llvm::CallBase* object = request(*requested, pools);
    requested->replaceAllUsesWith(object);
    requested->eraseFromParent();
    if (zeroes) {
        zero(*object, pools);
    }
}

void rewrite_release(llvm::CallBase& call, bool is_split) {
    const HeapCall kind = kind_of(call);
    if (kind == HeapCall::delete_aligned) {
        return;  // no pool's
    }
    llvm::IRBuilder<> code(&call);
    const char* name = is_split                 ? "malloom_split_free"
                       : kind == HeapCall::free ? "malloom_pool_free"
                                                : "malloom_pool_delete";
    call_in_place(call, function_of(*call.getModule(), name, code.getVoidTy(), {code.getPtrTy()}),
                  {call.getArgOperand(0)});
    call.eraseFromParent();
}

void rewrite_resize(llvm::CallBase& call) {
    llvm::IRBuilder<> code(&call);
    call.setCalledFunction(function_of(*call.getModule(), "malloom_pool_realloc", code.getPtrTy(),
                                       {code.getPtrTy(), code.getInt64Ty()}));
}

}  // namespace malloom::compiler
