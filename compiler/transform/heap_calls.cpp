#include "compiler/transform/heap_calls.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/analysis/library_functions.h"
#include "include/malloom/pools.h"

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

std::vector<llvm::Type*> types_of(const std::vector<llvm::Value*>& values) {
    std::vector<llvm::Type*> types;
    types.reserve(values.size());
    for (const llvm::Value* value : values) {
        types.push_back(value->getType());
    }
    return types;
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

/// Of a size that is known, with a name and further arguments as the kind of the request has them.
llvm::CallBase* request_of_pool(llvm::CallBase& call, const Pools& pools) {
    llvm::IRBuilder<> code(&call);
    std::string name = "malloom_pool_alloc";
    llvm::Type* result = code.getPtrTy();
    std::vector<llvm::Value*> arguments = {code.getInt32(pools.number), code.getInt64(pools.object_bytes),
                                           code.getInt64(pools.pool_bytes)};
    const HeapCall kind = kind_of(call);
    const bool may_throw =
        kind == HeapCall::new_object || (kind == HeapCall::new_aligned && call.arg_size() == 2);
    if (kind == HeapCall::new_object) {
        name = "malloom_pool_new";
    } else if (kind == HeapCall::new_or_null) {
        name = "malloom_pool_new_or_null";
        arguments.insert(arguments.end(), {call.getCalledOperand(), call.getArgOperand(1)});
    } else if (kind == HeapCall::new_aligned && may_throw) {
        name = "malloom_pool_new_aligned";
        arguments.push_back(call.getArgOperand(1));
    } else if (kind == HeapCall::into_pointer) {
        name = "malloom_pool_memalign";
        result = code.getInt32Ty();
        arguments.insert(arguments.begin() + 1, call.getArgOperand(0));
    }
    return call_in_place(call, function_of(*call.getModule(), name, result, types_of(arguments), may_throw),
                         arguments);
}

llvm::CallBase* request_of_split_pool(llvm::CallBase& call, const Pools& pools) {
    llvm::IRBuilder<> code(&call);
    const bool may_throw = kind_of(call) == HeapCall::new_object;
    const std::vector<llvm::Value*> arguments = {
        code.getInt32(pools.number), code.getInt64(pools.layout->element_bytes(0)),
        code.getInt64(pools.layout->object_bytes()), code.getInt64(pools.pool_bytes)};
    const char* name = may_throw ? "malloom_split_new" : "malloom_split_alloc";
    return call_in_place(
        call, function_of(*call.getModule(), name, code.getPtrTy(), types_of(arguments), may_throw),
        arguments);
}

/// With the arguments as they are, behind what describes the arrays.
llvm::CallBase* request_of_arrays(llvm::CallBase& call, const SplitObjects& objects) {
    llvm::IRBuilder<> code(&call);
    const HeapCall kind = kind_of(call);
    const bool may_throw = kind == HeapCall::new_object;
    const char* name = may_throw                  ? "malloom_array_new"
                       : kind == HeapCall::calloc ? "malloom_array_calloc"
                                                  : "malloom_array_alloc";
    std::vector<llvm::Value*> arguments = {objects.descriptor};
    arguments.insert(arguments.end(), call.arg_begin(),
                     call.arg_begin() + (kind == HeapCall::calloc ? 2 : 1));
    return call_in_place(
        call, function_of(*call.getModule(), name, code.getPtrTy(), types_of(arguments), may_throw),
        arguments);
}

/// The function for any size that takes a request's place, and how many of its arguments it takes.
std::pair<const char*, unsigned> any_size_function(const llvm::CallBase& call) {
    switch (kind_of(call)) {
        case HeapCall::calloc:
            return {"malloom_pool_calloc_any", 2};
        case HeapCall::new_object:
            return {"malloom_pool_new_any", 1};
        case HeapCall::new_or_null:
            return {"malloom_pool_new_or_null_any", 1};
        case HeapCall::realloc:
            return {"malloom_pool_realloc", 2};
        case HeapCall::duplicate:
            return call.arg_size() == 1 ? std::pair("malloom_pool_strdup", 1U)
                                        : std::pair("malloom_pool_strndup", 2U);
        default:
            return {"malloom_pool_alloc_any", 1};
    }
}

llvm::CallBase* request_of_any_size(llvm::CallBase& call, const Pools& pools) {
    llvm::IRBuilder<> code(&call);
    const auto [name, count] = any_size_function(call);
    std::vector<llvm::Value*> arguments = {code.getInt32(pools.number)};
    arguments.insert(arguments.end(), call.arg_begin(), call.arg_begin() + count);
    if (kind_of(call) == HeapCall::new_or_null) {
        arguments.insert(arguments.end(), {call.getCalledOperand(), call.getArgOperand(1)});
    }
    const bool may_throw = kind_of(call) == HeapCall::new_object;
    return call_in_place(
        call, function_of(*call.getModule(), name, code.getPtrTy(), types_of(arguments), may_throw),
        arguments);
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

PoolKey key_of(const Request& request) {
    switch (pool_service(request)) {
        case PoolService::plain:
            return {request.bytes, 0};
        case PoolService::aligned:
            return {request.bytes, alignment_of(request)};
        default:
            return {0, 0};
    }
}

Pools pools_for(const Request& request, uint64_t pool_bytes, const SplitObjects* layout) {
    const auto [bytes, alignment] = key_of(request);
    if (alignment == 0) {
        return {0, bytes, pool_bytes, layout};
    }
    // Objects lie one after the other from where an aligned pool begins.
    constexpr uint64_t least_pool = uint64_t{1} << 16, most_pool = MALLOOM_LARGEST_POOL, objects = 64;
    const uint64_t room = llvm::alignTo(bytes, alignment);
    return {0, room, std::clamp(llvm::PowerOf2Ceil(room * objects), least_pool, most_pool), nullptr};
}

void rewrite_request(llvm::CallBase& call, const Pools& pools) {
    const bool zeroes = kind_of(call) == HeapCall::calloc && pools.object_bytes != 0;
    llvm::CallBase* requested = &call;
    // What does not throw needs no way for exceptions, and is followed by what comes after it.
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call); invoke != nullptr && zeroes) {
        requested = llvm::changeToCall(invoke);
    }
    const bool is_of_arrays = pools.layout != nullptr && pools.layout->is_of_arrays();
    llvm::CallBase* object = is_of_arrays              ? request_of_arrays(*requested, *pools.layout)
                             : pools.layout != nullptr ? request_of_split_pool(*requested, pools)
                             : pools.object_bytes != 0 ? request_of_pool(*requested, pools)
                                                       : request_of_any_size(*requested, pools);
    requested->replaceAllUsesWith(object);
    requested->eraseFromParent();
    if (zeroes) {
        zero(*object, pools);
    }
}

void rewrite_release(llvm::CallBase& call, const SplitObjects* layout) {
    const HeapCall kind = kind_of(call);
    llvm::IRBuilder<> code(&call);
    std::vector<llvm::Value*> arguments = {call.getArgOperand(0)};
    if (layout != nullptr && layout->is_of_arrays()) {
        arguments.insert(arguments.begin(), layout->descriptor);
        call_in_place(
            call, function_of(*call.getModule(), "malloom_array_free", code.getVoidTy(), types_of(arguments)),
            arguments);
        call.eraseFromParent();
        return;
    }
    const char* name = layout != nullptr        ? "malloom_split_free"
                       : kind == HeapCall::free ? "malloom_pool_free"
                                                : "malloom_pool_delete";
    if (kind == HeapCall::delete_aligned) {
        // Behind the size, where that is given too.
        const bool has_size = call.getCalledFunction()->getName().contains("PvmSt11align_val_t");
        name = "malloom_pool_delete_aligned";
        arguments.push_back(call.getArgOperand(has_size ? 2 : 1));
    }
    call_in_place(call, function_of(*call.getModule(), name, code.getVoidTy(), types_of(arguments)),
                  arguments);
    call.eraseFromParent();
}

}  // namespace malloom::compiler
