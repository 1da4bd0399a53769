// Calls through pointers. Programs have thousands of them, and thousands of functions that they may lead to:
// so what functions of one set have in common is joined once, and each call is connected with that.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>

#include <array>

#include "compiler/analysis/constraints.h"
#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

namespace {

/// Whether a value of one type comes where one of the other is taken: all numbers and pointers that fit into
/// a register for addresses go by these, in their order.
bool come_alike(const llvm::Type& one, const llvm::Type& other, const llvm::DataLayout& layout) {
    const auto is_of_one_register = [&](const llvm::Type& type) {
        return type.isPointerTy() ||
               (type.isIntegerTy() && type.getIntegerBitWidth() <= layout.getPointerSizeInBits());
    };
    return &one == &other || (is_of_one_register(one) && is_of_one_register(other));
}

/// Of an argument: each has it come in another place than others of its type.
constexpr std::array placing = {llvm::Attribute::ByVal, llvm::Attribute::StructRet, llvm::Attribute::Nest,
                                llvm::Attribute::InReg};

}  // namespace

bool may_see_unnamed(const llvm::CallBase& call, const llvm::Function& function) {
    const unsigned both = std::min(static_cast<unsigned>(function.arg_size()), call.arg_size());
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    return function.isVarArg() || function.getCallingConv() != call.getCallingConv() ||
           llvm::any_of(llvm::seq(both), [&](unsigned i) {
               const llvm::Argument& named = *function.getArg(i);
               return !come_alike(*call.getArgOperand(i)->getType(), *named.getType(), layout) ||
                      llvm::any_of(placing, [&](llvm::Attribute::AttrKind kind) {
                          return call.paramHasAttr(i, kind) != named.hasAttribute(kind);
                      });
           });
}

void PointsTo::follow_indirect_calls() {
    connected_.resize(indirect_calls_.size());
    for (size_t i = 0; i < indirect_calls_.size(); ++i) {
        llvm::CallBase& call = *indirect_calls_[i];
        const Cell callee = cell_of(call.getCalledOperand());
        if (!callee) {
            continue;
        }
        CalledCode& code = called_code_[callee.set];
        join_functions(code, callee, call);
        if (connected_[i].set != callee.set || connected_[i].functions != code.functions.size()) {
            connected_[i] = {callee.set, code.functions.size()};
            connect(code, call);
        }
        if (sets_.resolve(callee).set->has(Trait::escaped)) {
            for (llvm::Use& argument : call.args()) {
                escape(argument, Rule::given_to_unseen_code, &call);
            }
            escape(&call, Rule::comes_from_unseen_code, &call);
        }
    }
}

// A set's functions keep their order, and new ones come behind them.
void PointsTo::join_functions(CalledCode& code, Cell callee, llvm::CallBase& call) {
    const auto& all = callee.set->functions;
    if (code.looked_at == all.size()) {
        return;
    }
    const llvm::SmallVector<llvm::Function*, 4> further(
        std::next(all.begin(), static_cast<ptrdiff_t>(code.looked_at)), all.end());
    code.looked_at = all.size();
    for (llvm::Function* function : further) {
        if (function->isDeclaration() || function->isVarArg() || is_assembly(*function) ||
            !is_looked_at(*function)) {
            sets_.add_trait(callee, Trait::escaped, Rule::maybe_unseen_code, &call);
            continue;
        }
        code.functions.push_back(function);
        for (unsigned i = 0; i < code.arguments.size(); ++i) {
            join_argument(code.arguments[i], *function, i);
        }
        join_result(code, *function);
    }
}

void PointsTo::join(CalledCode::Carried& carried, Cell of_function) {
    if (!carried.is_used || !of_function) {
        return;
    }
    if (carried.cell) {
        sets_.unify(carried.cell, of_function);
    } else {
        carried.cell = of_function;
    }
}

void PointsTo::join_argument(CalledCode::Carried& argument, llvm::Function& function, unsigned number) {
    if (argument.is_used && number < function.arg_size()) {
        join(argument, cell_of(function.getArg(number)));
    }
}

void PointsTo::join_result(CalledCode& code, llvm::Function& function) {
    if (!code.has_results) {
        return;
    }
    Cell& result = results_[&function];
    if (!result) {
        result = sets_.add();
    }
    join(code.result, result);
}

void PointsTo::connect(CalledCode& code, llvm::CallBase& call) {
    size_t least = SIZE_MAX, most = 0;
    for (const llvm::Function* function : code.functions) {
        if (function->arg_size() < call.arg_size() && may_see_unnamed(call, *function)) {
            least = std::min(least, function->arg_size());
        }
        most = std::max(most, function->arg_size());
    }
    for (unsigned i = 0; i < call.arg_size(); ++i) {
        if (call.isByValArgument(i) && i < most) {
            // The function has a copy of its own, on the stack.
            sets_.add_trait(cell_of(call.getArgOperand(i)), Trait::stack);
        }
        connect_argument(code, call, i);
        if (i >= least) {
            escape(call.getArgOperand(i), Rule::unnamed_argument, &call);
        }
    }
    if (!call.getType()->isVoidTy()) {
        connect_result(code, call);
    }
}

void PointsTo::connect_argument(CalledCode& code, llvm::CallBase& call, unsigned number) {
    const Cell given = cell_of(call.getArgOperand(number));
    if (!given) {
        return;
    }
    if (code.arguments.size() <= number) {
        code.arguments.resize(number + 1);
    }
    CalledCode::Carried& argument = code.arguments[number];
    if (!argument.is_used) {
        argument.is_used = true;
        for (llvm::Function* function : code.functions) {
            join_argument(argument, *function, number);
        }
    }
    if (argument.cell) {
        sets_.unify(argument.cell, given);
    }
}

void PointsTo::connect_result(CalledCode& code, llvm::CallBase& call) {
    const Cell taken = cell_of(&call);
    if (!code.has_results || (taken && !code.result.is_used)) {
        code.has_results = true;
        code.result.is_used = static_cast<bool>(taken);
        for (llvm::Function* function : code.functions) {
            join_result(code, *function);
        }
    }
    if (taken && code.result.cell) {
        sets_.unify(code.result.cell, taken);
    }
}

}  // namespace malloom::compiler
