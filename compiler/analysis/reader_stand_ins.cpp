#include "compiler/analysis/reader_stand_ins.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/analysis/library_functions.h"

namespace malloom::compiler {

namespace {

bool is_taken(const llvm::Use& use) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    return call == nullptr || !call->isCallee(&use);
}

/// Whether it gives nothing of what it reads on, but where in its first argument something lies.
bool is_reader(const llvm::Function& function) {
    const std::optional<LibraryFunction> known = library_function(function.getName());
    if (!function.isDeclaration() || function.isVarArg() || function.hasStructRetAttr() || !known ||
        (known->result != Result::none && known->result != Result::within) ||
        (known->result == Result::none && function.getReturnType()->isPointerTy())) {
        return false;
    }
    return llvm::all_of(function.args(), [&](const llvm::Argument& argument) {
        return !argument.getType()->isPointerTy() ||
               llvm::StringRef("rT").contains(known->argument(argument.getArgNo()));
    });
}

llvm::Function* make_stand_in(llvm::Function& reader) {
    llvm::Function* made =
        llvm::Function::Create(reader.getFunctionType(), llvm::GlobalValue::InternalLinkage,
                               reader.getName() + ".stand_in", *reader.getParent());
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(reader.getContext(), "", made));
    llvm::SmallVector<llvm::Value*, 4> given;
    for (llvm::Argument& argument : made->args()) {
        given.push_back(&argument);
    }
    llvm::CallInst* call = builder.CreateCall(&reader, given);
    if (call->getType()->isVoidTy()) {
        builder.CreateRetVoid();
    } else {
        builder.CreateRet(call);
    }
    return made;
}

}  // namespace

ReaderStandIns::ReaderStandIns(llvm::Module& module) {
    llvm::SmallVector<llvm::Function*, 4> readers;
    for (llvm::Function& function : module) {
        if (is_reader(function) && llvm::any_of(function.uses(), is_taken)) {
            readers.push_back(&function);
        }
    }
    for (llvm::Function* reader : readers) {
        llvm::Function* made = make_stand_in(*reader);
        reader->replaceUsesWithIf(made, [](llvm::Use& use) { return is_taken(use); });
        stand_ins_.push_back({made, reader});
    }
}

ReaderStandIns::~ReaderStandIns() {
    for (const StandIn& each : stand_ins_) {
        auto* function = llvm::cast_or_null<llvm::Function>(static_cast<llvm::Value*>(each.function));
        auto* reader = llvm::cast_or_null<llvm::Function>(static_cast<llvm::Value*>(each.reader));
        if (function != nullptr && reader != nullptr) {
            function->replaceAllUsesWith(reader);
            function->eraseFromParent();
        }
    }
}

}  // namespace malloom::compiler
