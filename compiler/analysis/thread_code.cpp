#include "compiler/analysis/thread_code.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

namespace malloom::compiler {

namespace {

/// Of the C library, of C++'s threads, and of OpenMP.
constexpr const char* starters[] = {"pthread_create", "thrd_create", "clone", "_ZNSt6thread15_M_start_thread",
                                    "__kmpc_fork_call"};

/// What a call may lead to: a function, or all that a pointer may point to.
llvm::SmallVector<const llvm::Function*, 4> callees(const llvm::CallBase& call, const PointsTo& points_to) {
    const llvm::Value* called = call.getCalledOperand()->stripPointerCastsAndAliases();
    if (const auto* function = llvm::dyn_cast<llvm::Function>(called)) {
        return {function};
    }
    const Cell cell = points_to.at(called);
    return cell ? llvm::SmallVector<const llvm::Function*, 4>(cell.set->functions.begin(),
                                                              cell.set->functions.end())
                : llvm::SmallVector<const llvm::Function*, 4>();
}

}  // namespace

bool starts_threads(const llvm::Module& module) {
    return llvm::any_of(module, [](const llvm::Function& function) {
        return function.isDeclaration() && llvm::any_of(starters, [&](const char* name) {
                   return function.getName() == name ||
                          (function.getName().starts_with("_Z") && function.getName().starts_with(name));
               });
    });
}

llvm::DenseSet<const llvm::Function*> thread_code(const PointsTo& points_to) {
    llvm::DenseSet<const llvm::Function*> found;
    if (!starts_threads(points_to.module())) {
        return found;
    }
    llvm::SmallVector<const llvm::Function*> waiting;
    const auto take = [&](const llvm::Function* function) {
        if (!function->isDeclaration() && found.insert(function).second) {
            waiting.push_back(function);
        }
    };
    for (const AliasSet* set : points_to.sets().all()) {
        for (const llvm::Function* function : set->functions) {
            if (set->has(Trait::escaped) && function->getName() != "main") {
                take(function);
            }
        }
    }
    while (!waiting.empty()) {
        for (const llvm::Instruction& instruction : llvm::instructions(*waiting.pop_back_val())) {
            if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
                llvm::for_each(callees(*call, points_to), take);
            }
        }
    }
    return found;
}

}  // namespace malloom::compiler
