#include "compiler/analysis/requests.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include <numeric>

#include "compiler/analysis/constraints.h"
#include "compiler/analysis/library_functions.h"
#include "compiler/analysis/points_to.h"
#include "include/malloom/pools.h"

namespace malloom::compiler {

namespace {

constexpr uint64_t largest_alignment = 4096;

/// Whether it is declared with sizes and pointers as the C library has them, for what takes them along.
bool has_known_types(const llvm::CallBase& call) {
    return llvm::all_of(call.args(), [](const llvm::Use& argument) {
        return argument->getType()->isPointerTy() || argument->getType()->isIntegerTy(64);
    });
}

/// What numbers are a multiple of, as they are calculated; 0 of 0.
class Multiples {
  public:
    uint64_t of(const llvm::Value& number);

  private:
    uint64_t of_calculation(const llvm::Operator& calculation);
    uint64_t of_call(const llvm::CallBase& call);
    uint64_t of_argument(const llvm::Argument& argument);
    uint64_t of_all(llvm::ArrayRef<const llvm::Value*> numbers);
    uint64_t product(const llvm::Value& one, const llvm::Value& other);

    /// Those whose multiple is just asked for: what leads back to them makes no other.
    llvm::SmallPtrSet<const llvm::Value*, 8> asked_;
    unsigned asked_in_all_ = 0;
};

uint64_t Multiples::of(const llvm::Value& number) {
    // On one way, and on all of them: the callers of callers may be very many.
    constexpr unsigned most_asked = 24, most_asked_in_all = 4096;
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&number)) {
        // So many bytes as -1 are what operator new[] asks for where its own calculation wraps around.
        return constant->isMinusOne() ? 0 : constant->getLimitedValue();
    }
    if (asked_.size() > most_asked || ++asked_in_all_ > most_asked_in_all) {
        return 1;
    }
    if (!asked_.insert(&number).second) {
        return 0;
    }
    uint64_t found = 1;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&number)) {
        found = of_argument(*argument);
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&number)) {
        found = of_call(*call);
    } else if (const auto* calculation = llvm::dyn_cast<llvm::Operator>(&number)) {
        found = of_calculation(*calculation);
    }
    asked_.erase(&number);
    return found;
}

uint64_t Multiples::of_all(llvm::ArrayRef<const llvm::Value*> numbers) {
    uint64_t found = 0;
    for (const llvm::Value* number : numbers) {
        found = std::gcd(found, of(*number));
    }
    return found;
}

uint64_t Multiples::product(const llvm::Value& one, const llvm::Value& other) {
    bool is_too_large = false;
    const uint64_t found = llvm::SaturatingMultiply(of(one), of(other), &is_too_large);
    return is_too_large ? 1 : found;
}

uint64_t Multiples::of_calculation(const llvm::Operator& calculation) {
    const auto operand = [&](unsigned number) -> const llvm::Value& {
        return *calculation.getOperand(number);
    };
    switch (calculation.getOpcode()) {
        case llvm::Instruction::Mul:
            return product(operand(0), operand(1));
        case llvm::Instruction::Shl: {
            const uint64_t bits = constant_of(operand(1));
            return bits != 0 && bits < 32 ? llvm::SaturatingMultiply(of(operand(0)), uint64_t{1} << bits) : 1;
        }
        case llvm::Instruction::Sub:
            if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&calculation);
                instruction != nullptr && is_distance(*instruction)) {
                return 0;  // as many elements as there are, however long
            }
            [[fallthrough]];
        case llvm::Instruction::Add:
            return of_all({&operand(0), &operand(1)});
        case llvm::Instruction::Select:
            return of_all({&operand(1), &operand(2)});
        case llvm::Instruction::PHI: {
            const auto& phi = llvm::cast<llvm::PHINode>(calculation);
            return of_all(llvm::SmallVector<const llvm::Value*, 4>(phi.incoming_values()));
        }
        case llvm::Instruction::ZExt:
        case llvm::Instruction::SExt:
        case llvm::Instruction::Trunc:
        case llvm::Instruction::Freeze:
            return of(operand(0));
        case llvm::Instruction::ExtractValue: {
            const auto* pair = llvm::dyn_cast<llvm::WithOverflowInst>(&operand(0));
            const bool is_product = pair != nullptr && pair->getBinaryOp() == llvm::Instruction::Mul &&
                                    llvm::cast<llvm::ExtractValueInst>(calculation).getIndices()[0] == 0;
            return is_product ? product(*pair->getLHS(), *pair->getRHS()) : 1;
        }
        default:
            return 1;
    }
}

uint64_t Multiples::of_call(const llvm::CallBase& call) {
    const auto* choice = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&call);
    return choice != nullptr ? of_all({choice->getLHS(), choice->getRHS()}) : 1;
}

/// Of a function that only calls which are seen give their arguments to.
uint64_t Multiples::of_argument(const llvm::Argument& argument) {
    const llvm::Function& function = *argument.getParent();
    if (!function.hasLocalLinkage() || function.isVarArg()) {
        return 1;
    }
    llvm::SmallVector<const llvm::Value*, 4> given;
    for (const llvm::Use& use : function.uses()) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
        if (call == nullptr || !call->isCallee(&use) || call->arg_size() != function.arg_size()) {
            return 1;
        }
        given.push_back(call->getArgOperand(argument.getArgNo()));
    }
    return of_all(given);
}

}  // namespace

llvm::StringRef callee_name(const llvm::CallBase& call) {
    const auto* callee =
        llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    return callee != nullptr ? callee->getName() : "";
}

/// Whether another call can take its place.
bool is_plain(const llvm::CallBase& call) {
    return llvm::isa<llvm::CallInst, llvm::InvokeInst>(call) && !call.isMustTailCall() &&
           call.getNumOperandBundles() == 0 && call.getCalledFunction() != nullptr;
}

bool is_served(const Request& request) {
    return pool_service(request) != PoolService::none;
}

uint64_t alignment_of(const Request& request) {
    const unsigned argument = heap_call(callee_name(*request.call)) == HeapCall::aligned ? 0 : 1;
    const auto* constant = argument < request.call->arg_size()
                               ? llvm::dyn_cast<llvm::ConstantInt>(request.call->getArgOperand(argument))
                               : nullptr;
    return constant != nullptr ? constant->getLimitedValue() : 0;
}

PoolService pool_service(const Request& request) {
    const std::optional<HeapCall> kind = heap_call(callee_name(*request.call));
    if (!kind || !is_plain(*request.call)) {
        return PoolService::none;
    }
    const bool is_known = request.bytes != 0, is_small = request.bytes <= MALLOOM_LARGEST_OBJECT;
    const bool takes_arguments = has_known_types(*request.call);
    switch (*kind) {
        case HeapCall::malloc:
        case HeapCall::calloc:
        case HeapCall::new_object:
        case HeapCall::new_or_null:
            if (is_known) {
                return is_small ? PoolService::plain : PoolService::none;
            }
            return takes_arguments ? PoolService::any_size : PoolService::none;
        case HeapCall::realloc:
        case HeapCall::duplicate:
            return takes_arguments ? PoolService::any_size : PoolService::none;
        case HeapCall::aligned:
        case HeapCall::new_aligned:
        case HeapCall::into_pointer: {
            const uint64_t alignment = alignment_of(request);
            const uint64_t least = kind == HeapCall::into_pointer ? sizeof(void*) : 1;
            const bool is_pools =
                llvm::isPowerOf2_64(alignment) && least <= alignment && alignment <= largest_alignment;
            return is_known && is_small && is_pools && takes_arguments ? PoolService::aligned
                                                                       : PoolService::none;
        }
        default:
            return PoolService::none;
    }
}

bool may_be_array(const Request& request) {
    const std::optional<HeapCall> kind = heap_call(callee_name(*request.call));
    const bool is_of_bytes = kind == HeapCall::malloc || kind == HeapCall::calloc ||
                             kind == HeapCall::new_object || kind == HeapCall::new_or_null;
    return is_of_bytes && is_plain(*request.call) && has_known_types(*request.call);
}

uint64_t multiple_of(const Request& request) {
    Multiples multiples;
    uint64_t product = 1;
    bool is_too_large = false;
    for (const unsigned operand : size_operands(*request.call)) {
        product = llvm::SaturatingMultiply(product, multiples.of(*request.call->getArgOperand(operand)),
                                           &is_too_large);
        if (is_too_large) {
            return 1;
        }
    }
    return product;
}

}  // namespace malloom::compiler
