#include "compiler/analysis/printing.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>

#include "compiler/analysis/library_functions.h"

namespace malloom::compiler {

namespace {

using Formats = llvm::SmallVector<const llvm::Value*, 2>;

/// What becomes of a function's list, followed to a depth: the formats that it is printed by, or something
/// else.
using KnownLists = std::map<std::pair<const llvm::Argument*, unsigned>, std::optional<Formats>>;

constexpr unsigned deepest = 8;

/// The format stands before the list of arguments.
bool prints(const llvm::CallBase& call, unsigned argument) {
    const std::optional<LibraryFunction> function = library_function(call.getCalledFunction()->getName());
    return function && argument != 0 && function->argument(argument) == 'v' &&
           call.getArgOperand(argument - 1)->getType()->isPointerTy();
}

/// Follows a list of arguments (va_list) to all that becomes of it.
class ListUses {
  public:
    ListUses(Formats& formats, unsigned depth, KnownLists& known)
        : formats_(formats), depth_(depth), known_(known) {}

    /// Whether only printing does; `list` is where it lies.
    bool are_printing(const llvm::Value& list) {
        return !seen_.insert(&list).second || llvm::all_of(list.uses(), [this](const llvm::Use& use) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
            return call != nullptr && call->isArgOperand(&use) &&
                   is_printing(*call, call->getArgOperandNo(&use));
        });
    }

  private:
    bool is_printing(const llvm::CallBase& call, unsigned argument) {
        switch (call.getIntrinsicID()) {
            case llvm::Intrinsic::vastart:
            case llvm::Intrinsic::vaend:
            case llvm::Intrinsic::lifetime_start:
            case llvm::Intrinsic::lifetime_end:
                return true;
            case llvm::Intrinsic::vacopy:
                return argument == 0 || (llvm::isa<llvm::AllocaInst>(call.getArgOperand(0)) &&
                                         are_printing(*call.getArgOperand(0)));
            default:
                return is_printed_by(call, argument);
        }
    }

    bool is_printed_by(const llvm::CallBase& call, unsigned argument) {
        const llvm::Function* callee = call.getCalledFunction();
        if (callee == nullptr || callee->isIntrinsic() || call.isByValArgument(argument)) {
            return false;
        }
        if (callee->isDeclaration()) {
            if (prints(call, argument)) {
                const llvm::Value* format = call.getArgOperand(argument - 1);
                formats_.push_back(llvm::isa<llvm::Constant, llvm::Argument>(format) ? format : nullptr);
                return true;
            }
            return false;
        }
        return depth_ != 0 && !callee->isInterposable() && argument < callee->arg_size() &&
               is_printed_in(call, *callee, argument);
    }

    /// By another function of the program, whose formats are its own arguments or constants.
    bool is_printed_in(const llvm::CallBase& call, const llvm::Function& callee, unsigned argument) {
        const std::optional<Formats>& inner = formats_in(*callee.getArg(argument));
        if (!inner) {
            return false;
        }
        for (const llvm::Value* format : *inner) {
            if (const auto* named = llvm::dyn_cast_or_null<llvm::Argument>(format)) {
                format =
                    named->getArgNo() < call.arg_size() ? call.getArgOperand(named->getArgNo()) : nullptr;
            }
            const bool is_known = format != nullptr && llvm::isa<llvm::Constant, llvm::Argument>(format);
            formats_.push_back(is_known ? format : nullptr);
        }
        return true;
    }

    /// Of a function's list, looked for once: a function may be called at many places.
    const std::optional<Formats>& formats_in(const llvm::Argument& list) {
        const auto key = std::pair(&list, depth_);
        if (const auto known = known_.find(key); known != known_.end()) {
            return known->second;
        }
        Formats inner;
        const bool are_known = ListUses(inner, depth_ - 1, known_).are_printing(list);
        return known_.emplace(key, are_known ? std::optional(inner) : std::nullopt).first->second;
    }

    Formats& formats_;
    unsigned depth_;
    KnownLists& known_;
    llvm::SmallPtrSet<const llvm::Value*, 4> seen_;
};

}  // namespace

std::optional<Formats> formats_of_printing(const llvm::Function& function) {
    Formats formats;
    KnownLists known;
    ListUses uses(formats, deepest, known);
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call == nullptr) {
            continue;
        }
        const bool begins = call->getIntrinsicID() == llvm::Intrinsic::vastart;
        const bool is_followed = !begins || (llvm::isa<llvm::AllocaInst>(call->getArgOperand(0)) &&
                                             uses.are_printing(*call->getArgOperand(0)));
        // Such a call hands all arguments on.
        if (call->isMustTailCall() || !is_followed) {
            return std::nullopt;
        }
    }
    return formats;
}

}  // namespace malloom::compiler
