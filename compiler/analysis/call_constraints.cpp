// What calls say of pointers: of the program's own functions, of intrinsics, of allocators and of libraries.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include "compiler/analysis/constraints.h"
#include "compiler/analysis/requests.h"

namespace malloom::compiler {

namespace {

llvm::SmallVector<unsigned, 2> size_operands_of(HeapCall kind) {
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
        case HeapCall::into_pointer:
            return {2};
        default:
            return {};
    }
}

/// The bytes of an object that is requested; 0 where they are not known.
uint64_t requested_bytes(const llvm::CallBase& call) {
    const llvm::SmallVector<unsigned, 2> operands = malloom::compiler::size_operands(call);
    uint64_t bytes = operands.empty() ? 0 : 1;
    for (const unsigned operand : operands) {
        bytes = llvm::SaturatingMultiply(bytes, constant_of(*call.getArgOperand(operand)));
    }
    return bytes;
}

/// The length of the elements of an array that is given to a function of a library; 1 where it is not known.
uint64_t element_bytes(const llvm::CallBase& call, const LibraryFunction& function) {
    for (unsigned i = 0; i < call.arg_size(); ++i) {
        if (function.argument(i) == 's') {
            return std::max<uint64_t>(1, constant_of(*call.getArgOperand(i)));
        }
    }
    return 1;
}

}  // namespace

llvm::SmallVector<unsigned, 2> size_operands(const llvm::CallBase& call) {
    const auto* callee =
        llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    const std::optional<HeapCall> kind = callee != nullptr ? heap_call(callee->getName()) : std::nullopt;
    return kind ? size_operands_of(*kind) : llvm::SmallVector<unsigned, 2>();
}

void ConstraintVisitor::visitCallBase(llvm::CallBase& call) {
    if (take_intrinsic(call)) {
        return;
    }
    if (call.isInlineAsm()) {
        take_unknown_call(call, Rule::given_to_assembly);
        return;
    }
    auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    if (callee == nullptr) {
        to_.indirect_calls_.push_back(&call);
    } else if (!callee->isDeclaration() && !callee->isInterposable() && !is_assembly(*callee) &&
               (!callee->isVarArg() || take_printing_call(call, *callee))) {
        to_.connect(call, *callee);
    } else if (!is_of_library(*callee) ||
               (!take_heap_call(call, *callee) && !take_library_call(call, *callee))) {
        take_unknown_call(call, Rule::given_to_unseen_code);
    }
}

/// Whether the library's function of that name is meant: the program has none of its own, and declares it
/// as the library does, as far as LLVM knows how. A program that has some forms of operator new and delete is
/// called by the library's others.
bool ConstraintVisitor::is_of_library(const llvm::Function& callee) const {
    if (has_own_operators_ && is_operator(callee.getName())) {
        return false;
    }
    llvm::LibFunc function = llvm::NotLibFunc;
    const bool is_known = library_.getLibFunc(callee.getName(), function);
    return callee.isDeclaration() && (!is_known || library_.getLibFunc(callee, function));
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
            take_tag(call, *call.getArgOperand(0), tag_bits(*call.getArgOperand(1), true), true);
            return true;
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
    take_unknown_call(call, Rule::given_to_unknown_intrinsic);
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
        const Cell object = sets_.add_object(Trait::heap), place = to_.cell_of(call.getArgOperand(0));
        object.set->requests.push_back({&call, object, requested_bytes(call)});
        to_.library_accesses_.push_back({&call, 0});
        sets_.unify(sets_.pointee(place), object);
        return true;
    }
    take_request(call, *kind);
    return true;
}

void ConstraintVisitor::take_request(llvm::CallBase& call, HeapCall kind) {
    const Cell object = sets_.add_object(Trait::heap);
    object.set->requests.push_back({&call, object, requested_bytes(call)});
    sets_.unify(object, to_.cell_of(&call));
    if (kind == HeapCall::realloc) {
        sets_.add_trait(to_.cell_of(&call), Trait::resized, Rule::resized, &call);
        same(call, *call.getArgOperand(0));
    }
    if (kind == HeapCall::duplicate) {
        to_.library_accesses_.push_back({&call, 0});
        to_.texts_.push_back({&call, to_.cell_of(call.getArgOperand(0)), 1, false});
        to_.texts_.push_back({&call, object, 1, true});
        copy_letters(call, object);
    }
}

bool ConstraintVisitor::take_library_call(llvm::CallBase& call, llvm::Function& callee) {
    const std::optional<LibraryFunction> known = library_function(callee.getName());
    if (!known) {
        return false;
    }
    for (unsigned i = 0; i < call.arg_size(); ++i) {
        take_library_argument(call, i, *known);
    }
    if (call.arg_size() == 3 && known->argument(0) == 'w' && known->argument(1) == 'T') {
        copy_letters(call, to_.cell_of(call.getArgOperand(0)));
    }
    take_letters(call, *known);
    take_callback(call, *known);
    take_library_result(call, known->result);
    return true;
}

void ConstraintVisitor::take_library_argument(llvm::CallBase& call, unsigned number,
                                              const LibraryFunction& function) {
    const char effect = function.argument(number);
    const llvm::Type& type = *call.getArgOperand(number)->getType();
    const Cell cell = to_.cell_of(call.getArgOperand(number));
    if (!cell || llvm::StringRef("skb").contains(effect) || is_fraction(type) ||
        (effect == '-' && !type.isPointerTy())) {
        return;
    }
    to_.library_accesses_.push_back({&call, number});
    switch (effect) {
        case '-':  // A stream of the library's; or the function is another one with its name.
        case 'e':
        case 'c':
            sets_.add_trait(cell, Trait::escaped, Rule::given_to_unseen_code, &call);
            break;
        case 'R':
        case 'W':
            to_.carried_outside_.emplace_back(cell, &call);
            break;
        case 'T':
        case 'L':
            take_text(call, number);
            break;
        case 'o':
            sets_.unify(cell, to_.cell_of(&call));
            [[fallthrough]];
        case 'w':
            to_.texts_.push_back({&call, cell, 1, true});
            break;
        case 'l':
            sets_.unify(sets_.pointee(cell), to_.cell_of(call.getArgOperand(0)));
            sets_.add_stride(to_.cell_of(call.getArgOperand(0)), 1);
            break;
        case 'K':
            sets_.add_trait(cell, Trait::many_in_one);
            sets_.add_stride(cell, element_bytes(call, function));
            break;
        case 't':
            link(cell, {8, 16, 24}, call, function);
            break;
        case 'n':
            link(cell, {0, 8}, call, function);
            break;
        case 'M':
            sets_.add_trait(sets_.pointee(cell), Trait::made_by_library, Rule::comes_from_library, &call);
            to_.texts_.push_back({&call, sets_.pointee(cell), 1, true});
            break;
        case 'G':
            sets_.add_trait(sets_.pointee(cell), Trait::foreign_heap);
            to_.texts_.push_back({&call, sets_.pointee(cell), 1, true});
            break;
        case 'S':
        case 'Q':
            // Its characters are in memory of its own, or in the string itself, behind their number.
            sets_.add_trait(cell, Trait::foreign_heap);
            sets_.unify(sets_.pointee(cell), cell.plus(16));
            break;
        default:
            break;
    }
}

/// A node of a C++ container has links, at these offsets, to nodes among which are the call's others.
void ConstraintVisitor::link(Cell node, llvm::ArrayRef<int64_t> links, llvm::CallBase& call,
                             const LibraryFunction& function) {
    for (unsigned i = 0; i < call.arg_size(); ++i) {
        if (llvm::StringRef("tn").contains(function.argument(i))) {
            sets_.unify(node, to_.cell_of(call.getArgOperand(i)));
        }
    }
    for (const int64_t offset : links) {
        const Cell now = sets_.resolve(node);
        sets_.unify(sets_.pointee(now.plus(offset)), now);
    }
}

void ConstraintVisitor::take_callback(llvm::CallBase& call, const LibraryFunction& function) {
    Callback callback = {&call, nullptr, {}};
    for (unsigned i = 0; i < call.arg_size(); ++i) {
        llvm::Value* argument = call.getArgOperand(i);
        if (function.argument(i) == 'b') {
            callback.code = argument;
        } else if (llvm::StringRef("kK").contains(function.argument(i)) && to_.cell_of(argument)) {
            callback.given.push_back(argument);
        }
    }
    if (callback.code != nullptr) {
        to_.callbacks_.push_back(std::move(callback));
    }
}

void ConstraintVisitor::take_library_result(llvm::CallBase& call, Result result) {
    const Cell cell = to_.cell_of(&call);
    if (!cell || (result == Result::none && !call.getType()->isPointerTy())) {
        return;
    }
    switch (result) {
        case Result::none:
        case Result::foreign:
            sets_.add_trait(cell, Trait::escaped, Rule::comes_from_library, &call);
            break;
        case Result::buffer:
            sets_.add_trait(cell, Trait::foreign_heap);
            break;
        case Result::made:
            sets_.add_trait(cell, Trait::made_by_library, Rule::comes_from_library, &call);
            break;
        case Result::number:
            sets_.add_trait(cell, Trait::gathered);
            break;
        case Result::kept: {
            Cell& kept = to_.kept_[callee_name(call)];
            kept = kept ? kept : sets_.add();
            sets_.unify(kept, to_.cell_of(call.getArgOperand(0)));
            sets_.unify(kept, cell);
            sets_.add_stride(kept, 1);
            break;
        }
        default:
            sets_.unify(cell, to_.cell_of(call.getArgOperand(result == Result::second ? 1 : 0)));
            break;
    }
    if (result == Result::within) {
        sets_.add_stride(cell, 1);
    }
}

void ConstraintVisitor::take_unknown_call(llvm::CallBase& call, Rule rule) {
    for (llvm::Use& argument : call.args()) {
        to_.escape(argument, rule, &call);
    }
    to_.escape(&call, Rule::comes_from_unseen_code, &call);
}

}  // namespace malloom::compiler
