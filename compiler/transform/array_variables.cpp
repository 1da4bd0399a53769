#include "compiler/transform/array_variables.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

#include "compiler/analysis/library_functions.h"
#include "compiler/analysis/thread_code.h"

namespace malloom::compiler {

namespace {

llvm::GlobalVariable* add_variable(llvm::Module& module, llvm::Constant* value, bool is_constant,
                                   const char* name) {
    return new llvm::GlobalVariable(module, value->getType(), is_constant, llvm::GlobalValue::InternalLinkage,
                                    value, name);
}

/// Whether code that is not of the program neither calls any that is nor waits for what another thread does.
/// Operator new calls the program's new-handler.
bool keeps_to_itself(const llvm::Function& function) {
    const llvm::StringRef name = function.getName();
    const bool is_of_bytes = library_function(name) && (name.starts_with("str") || name.starts_with("mem"));
    return function.isIntrinsic() || is_of_bytes || name == "malloc" || name == "calloc" || name == "free" ||
           name == "malloom_array_free" || name == "malloom_pool_free" || name == "malloom_pool_alloc" ||
           name == "malloom_split_free" || name == "malloom_split_alloc";
}

/// Whether other threads' writes may be waited for by it, as programs also do by what is volatile.
bool may_wait(const llvm::Instruction& instruction) {
    return instruction.isAtomic() || instruction.isVolatile();
}

bool waits(const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), may_wait);
}

/// What is loaded from where arrays begin is not to be loaded before the wait for a thread that makes them:
/// plain loads may pass what is volatile, and relaxed.
void keep_behind_waits(llvm::Function& function, const llvm::MDNode* scope) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load != nullptr && load->getMetadata(llvm::LLVMContext::MD_alias_scope) == scope) {
            load->setAtomic(llvm::AtomicOrdering::Monotonic);
        }
    }
}

/// The functions that may request arrays, call others that do, or wait for a thread that does.
class Requesters {
  public:
    explicit Requesters(const llvm::Module& module) {
        for (bool changed = true; changed;) {
            changed = false;
            for (const llvm::Function& function : module) {
                if (!found_.contains(&function) && requests(function)) {
                    found_.insert(&function);
                    changed = true;
                }
            }
        }
    }

    bool may_request(const llvm::CallBase& call) const {
        const llvm::Function* callee = call.getCalledFunction();
        return callee == nullptr || may_request(*callee);
    }
    bool may_request(const llvm::Function& function) const { return found_.contains(&function); }

  private:
    bool requests(const llvm::Function& function) const {
        if (function.isDeclaration()) {
            return !keeps_to_itself(function);
        }
        if (function.isInterposable()) {
            return true;  // another may take its place
        }
        return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            return may_wait(instruction) || (call != nullptr && may_request(*call));
        });
    }

    llvm::DenseSet<const llvm::Function*> found_;
};

}  // namespace

void add_array_variables(llvm::Module& module, SplitObjects& objects, llvm::MDNode* scope) {
    llvm::LLVMContext& context = module.getContext();
    auto *number = llvm::Type::getInt32Ty(context), *size = llvm::Type::getInt64Ty(context);
    auto* pointer = llvm::PointerType::getUnqual(context);
    std::vector<uint32_t> element_bytes(objects.parts());
    for (unsigned part = 0; part < objects.parts(); ++part) {
        element_bytes[part] = static_cast<uint32_t>(objects.element_bytes(part));
    }
    llvm::GlobalVariable* elements = add_variable(
        module, llvm::ConstantDataArray::get(context, element_bytes), true, "malloom.element_bytes");
    objects.begins =
        add_variable(module, llvm::ConstantAggregateZero::get(llvm::ArrayType::get(size, objects.parts())),
                     false, "malloom.begins");
    llvm::Constant* description =
        llvm::ConstantStruct::getAnon({llvm::ConstantInt::get(number, objects.parts()),
                                       llvm::ConstantInt::get(size, objects.structure_bytes()), elements,
                                       objects.begins, llvm::ConstantPointerNull::get(pointer)});
    objects.descriptor = add_variable(module, description, false, "malloom.arrays");
    objects.begins_scope = scope;
}

llvm::MDNode* new_begins_scope(llvm::Module& module) {
    llvm::MDBuilder builder(module.getContext());
    llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain("malloom");
    llvm::MDNode* scope = builder.createAnonymousAliasScope(domain, "where arrays begin");
    return llvm::MDNode::get(module.getContext(), {scope});
}

void keep_begins_apart(llvm::Module& module, llvm::MDNode* scope) {
    const Requesters requesters(module);
    // A function may become a part of one that waits, or have one for a part.
    const bool all_may_wait = starts_threads(module) && llvm::any_of(module, waits);
    // A request writes where arrays begin; everything else may read it.
    const auto effects = [](bool may_request) {
        return may_request ? llvm::MemoryEffects::unknown() : llvm::MemoryEffects::readOnly();
    };
    for (llvm::Function& function : module) {
        const bool may_request = requesters.may_request(function);
        if (may_request || !function.isDeclaration()) {
            function.setMemoryEffects(function.getMemoryEffects() | effects(may_request));
        }
        if (all_may_wait || waits(function)) {
            keep_behind_waits(function, scope);
        }
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
            const bool makes = call != nullptr && requesters.may_request(*call);
            if (makes || (call != nullptr && !callee->isDeclaration())) {
                call->setMemoryEffects(call->getAttributes().getMemoryEffects() | effects(makes));
            }
            const bool keeps = !makes && instruction.mayWriteToMemory();
            if (keeps) {
                llvm::MDNode* known = instruction.getMetadata(llvm::LLVMContext::MD_noalias);
                instruction.setMetadata(llvm::LLVMContext::MD_noalias,
                                        llvm::MDNode::concatenate(known, scope));
            }
        }
    }
}

}  // namespace malloom::compiler
