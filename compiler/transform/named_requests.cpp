#include "compiler/transform/named_requests.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>

namespace malloom::compiler {

namespace {

/// Calls the allocator with its own arguments. Its frame must be there while the allocator runs, so it is no
/// part of its callers, and does not end with a jump.
llvm::Function* function_for(llvm::CallBase& request, llvm::Function& allocator, size_t number) {
    llvm::Module& module = *allocator.getParent();
    const std::string name = named_request_prefix + std::to_string(number) + "." + allocator.getName().str();
    llvm::FunctionType* type = request.getFunctionType();
    if (llvm::Function* made = module.getFunction(name); made != nullptr) {
        return made->getFunctionType() == type ? made : nullptr;
    }
    llvm::Function* made = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
    made->addFnAttr(llvm::Attribute::NoInline);
    made->setUWTableKind(llvm::UWTableKind::Async);
    llvm::IRBuilder<> code(llvm::BasicBlock::Create(module.getContext(), "", made));
    llvm::SmallVector<llvm::Value*, 4> arguments;
    for (llvm::Argument& argument : made->args()) {
        arguments.push_back(&argument);
    }
    llvm::CallInst* call = code.CreateCall(type, &allocator, arguments);
    call->setTailCallKind(llvm::CallInst::TCK_NoTail);
    type->getReturnType()->isVoidTy() ? code.CreateRetVoid() : code.CreateRet(call);
    return made;
}

}  // namespace

void name_requests(const std::vector<Decision>& decisions) {
    for (size_t number = 0; number < decisions.size(); ++number) {
        for (const Request& request : decisions[number].proof->set->requests) {
            llvm::Function* allocator = request.call->getCalledFunction();
            if (allocator == nullptr || !is_plain(*request.call) || allocator->isVarArg()) {
                continue;
            }
            if (llvm::Function* named = function_for(*request.call, *allocator, number)) {
                request.call->setCalledFunction(named);
            }
        }
    }
}

}  // namespace malloom::compiler
