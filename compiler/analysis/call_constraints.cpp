// What calls say of pointers: of the program's own functions, of intrinsics, of allocators and of libraries.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include "compiler/analysis/constraints.h"

namespace malloom::compiler {

namespace {

llvm::SmallVector<unsigned, 2> size_operands(HeapCall kind) {
    switch (kind) {
        case HeapCall::malloc:
        case HeapCall::new_object:
        case HeapCall::new_or_null:
        case HeapCall::new_aligned:
        case HeapCall::page:
            return {0};
        case HeapCall::calloc:
            return {0, 1};
        case HeapCall::realloc:
        case HeapCall::aligned:
            return {1};
        default:
            return {};
    }
}

/// The bytes of an object that is requested; 0 where they are not known.
uint64_t requested_bytes(const llvm::CallBase& call) {
    const llvm::SmallVector<unsigned, 2> operands = size_operands(call);
    uint64_t bytes = operands.empty() ? 0 : 1;
    for (const unsigned operand : operands) {
        bytes = llvm::SaturatingMultiply(bytes, constant_of(*call.getArgOperand(operand)));
    }
    return bytes;
}

}  // namespace

llvm::SmallVector<unsigned, 2> size_operands(const llvm::CallBase& call) {
    const auto* callee =
        llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    const std::optional<HeapCall> kind = callee != nullptr ? heap_call(callee->getName()) : std::nullopt;
    return kind ? size_operands(*kind) : llvm::SmallVector<unsigned, 2>();
}

void ConstraintVisitor::visitCallBase(llvm::CallBase& call) {
    if (take_intrinsic(call)) {
        return;
    }
    if (call.isInlineAsm()) {
        take_unknown_call(call, "is given to assembly");
        return;
    }
    auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    if (callee == nullptr) {
        to_.indirect_calls_.push_back(&call);
    } else if (!callee->isDeclaration() && !callee->isInterposable() && !callee->isVarArg()) {
        to_.connect(call, *callee);
    } else if (!take_heap_call(call, *callee) && !take_library_call(call, *callee)) {
        take_unknown_call(call, "is given to code that is not seen");
    }
}

bool ConstraintVisitor::take_intrinsic(llvm::CallBase& call) {
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
    if (intrinsic == nullptr) {
        return false;
    }
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(intrinsic)) {
        access_bytes(call, *transfer->getDest(), *transfer->getLength(), true);
        access_bytes(call, *transfer->getSource(), *transfer->getLength(), false);
        to_.copies_.push_back({to_.cell_of(transfer->getDest()), to_.cell_of(transfer->getSource()),
                               constant_of(*transfer->getLength())});
        return true;
    }
    if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(intrinsic)) {
        access_bytes(call, *fill->getDest(), *fill->getLength(), true);
        return true;
    }
    switch (intrinsic->getIntrinsicID()) {
        case llvm::Intrinsic::ptrmask:
        case llvm::Intrinsic::launder_invariant_group:
        case llvm::Intrinsic::strip_invariant_group:
        case llvm::Intrinsic::threadlocal_address:
        case llvm::Intrinsic::ptr_annotation:
            same(call, *call.getArgOperand(0));
            return true;
        case llvm::Intrinsic::lifetime_start:
        case llvm::Intrinsic::lifetime_end:
        case llvm::Intrinsic::invariant_start:
        case llvm::Intrinsic::assume:
        case llvm::Intrinsic::prefetch:
        case llvm::Intrinsic::objectsize:
        case llvm::Intrinsic::experimental_noalias_scope_decl:
            return true;
        default:
            break;
    }
    if (intrinsic->isAssumeLikeIntrinsic() || !intrinsic->mayReadOrWriteMemory()) {
        calculate(call);
        return true;
    }
    take_unknown_call(call, "is given to an intrinsic that is not followed");
    return true;
}

bool ConstraintVisitor::take_heap_call(llvm::CallBase& call, llvm::Function& callee) {
    const std::optional<HeapCall> kind = heap_call(callee.getName());
    if (!kind || call.arg_size() == 0) {
        return false;
    }
    if (releases(*kind)) {
        const Cell object = to_.cell_of(call.getArgOperand(0));
        if (object) {
            object.set->releases.push_back(&call);
        }
        return true;
    }
    if (*kind == HeapCall::into_pointer) {
        const Cell object = sets_.add_object(Trait::heap);
        object.set->requests.push_back({&call, 0, 0});
        sets_.unify(sets_.pointee(to_.cell_of(call.getArgOperand(0))), object);
        return true;
    }
    take_request(call, *kind);
    return true;
}

void ConstraintVisitor::take_request(llvm::CallBase& call, HeapCall kind) {
    const Cell object = sets_.add_object(Trait::heap);
    object.set->requests.push_back({&call, 0, requested_bytes(call)});
    sets_.unify(object, to_.cell_of(&call));
    if (kind == HeapCall::realloc) {
        sets_.add_trait(to_.cell_of(&call), Trait::resized, "is made larger or smaller", &call);
        same(call, *call.getArgOperand(0));
    }
    if (kind == HeapCall::duplicate) {
        to_.library_accesses_.push_back({&call, 0});
    }
}

bool ConstraintVisitor::take_library_call(llvm::CallBase& call, llvm::Function& callee) {
    const std::optional<LibraryFunction> known = library_function(callee.getName());
    if (!known) {
        return false;
    }
    for (unsigned i = 0; i < call.arg_size(); ++i) {
        const Cell cell = to_.cell_of(call.getArgOperand(i));
        const char effect = known->argument(i);
        if (!cell || effect == '-' || is_fraction(*call.getArgOperand(i)->getType())) {
            continue;
        }
        to_.library_accesses_.push_back({&call, i});
        if (effect == 'e' || effect == 'c') {
            sets_.add_trait(cell, Trait::escaped, "is given to code that is not seen", &call);
        } else if (effect == 'W' || effect == 'R') {
            to_.carried_outside_.emplace_back(cell, &call);
        }
    }
    const Cell result = to_.cell_of(&call);
    if (known->result == Result::foreign) {
        sets_.add_trait(result, Trait::escaped, "comes from a library", &call);
    } else if (known->result != Result::none && result) {
        sets_.unify(result, to_.cell_of(call.getArgOperand(0)));
        if (known->result == Result::within) {
            sets_.add_stride(result, 1);
        }
    }
    return true;
}

void ConstraintVisitor::take_unknown_call(llvm::CallBase& call, const char* reason) {
    for (llvm::Use& argument : call.args()) {
        to_.escape(argument, reason, &call);
    }
    to_.escape(&call, "comes from code that is not seen", &call);
}

}  // namespace malloom::compiler
