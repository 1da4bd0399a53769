#include "compiler/analysis/points_to.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "compiler/analysis/constraints.h"
#include "compiler/analysis/printing.h"

namespace malloom::compiler {

namespace {

/// Whether a pointer may be in it: types say how many bytes a value has, and no more. A union may be copied
/// as a number with a fraction; and two halves of a pointer are one, whatever the elements of a vector are.
bool may_carry_pointers(llvm::Type& type) {
    if (type.isIntegerTy() || type.isFloatingPointTy()) {
        return type.getPrimitiveSizeInBits().getFixedValue() >= 64;
    }
    return type.isPointerTy() || type.isVectorTy() || type.isAggregateType();
}

/// Whether the linker makes names for the begin and end of a section, by which its variables are reached.
bool is_linker_set(llvm::StringRef section) {
    return !section.empty() &&
           llvm::all_of(section, [](char letter) { return letter == '_' || llvm::isAlnum(letter); });
}

/// Whether a function or variable may be used by its name by others than the program's own code, or by
/// another name.
bool is_visible(const llvm::GlobalValue& global) {
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&global);
    return !global.hasLocalLinkage() || (variable != nullptr && is_linker_set(variable->getSection()));
}

/// Whether no address of an object is in it. Labels of code are none.
bool has_no_address(const llvm::Constant& constant) {
    return llvm::isa<llvm::ConstantData, llvm::BlockAddress>(constant);
}

/// Whether it is the address that its operand is, as a pointer or as a number that has room for it.
bool keeps_address(const llvm::ConstantExpr& expression) {
    switch (expression.getOpcode()) {
        case llvm::Instruction::PtrToInt:
        case llvm::Instruction::IntToPtr:
        case llvm::Instruction::BitCast:
        case llvm::Instruction::AddrSpaceCast:
            return may_carry_pointers(*expression.getType()) &&
                   is_register(*expression.getType()) == is_register(*expression.getOperand(0)->getType());
        default:
            return false;
    }
}

/// Whether it is a number where the program may have memory: no mark, as those below and above are. In
/// another address space, as that of a segment register, any number may be.
bool is_chosen_address(const llvm::ConstantExpr& expression) {
    constexpr uint64_t least = uint64_t{1} << 16, end = uint64_t{1} << 47;
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(expression.getOperand(0));
    const uint64_t address = number != nullptr ? number->getLimitedValue() : 0;
    const bool is_elsewhere =
        expression.getType()->isPointerTy() && expression.getType()->getPointerAddressSpace() != 0;
    return expression.getOpcode() == llvm::Instruction::IntToPtr &&
           (is_elsewhere || (least <= address && address < end));
}

/// Whether a function that the loader calls before the program begins may get the words that it is started
/// with.
bool begins_with_arguments(const llvm::Module& module) {
    const auto takes_any = [](const llvm::Use& operand) {
        const auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(operand.get());
        const llvm::Value* code = entry != nullptr && entry->getNumOperands() > 1
                                      ? entry->getOperand(1)->stripPointerCasts()
                                      : nullptr;
        const auto* function = llvm::dyn_cast_or_null<llvm::Function>(code);
        return function == nullptr || function->arg_size() != 0 || function->isVarArg();
    };
    const llvm::GlobalVariable* constructors = module.getGlobalVariable("llvm.global_ctors");
    const auto* all = constructors != nullptr && constructors->hasInitializer()
                          ? llvm::dyn_cast<llvm::ConstantArray>(constructors->getInitializer())
                          : nullptr;
    const bool has_none = constructors == nullptr || !constructors->hasInitializer() ||
                          constructors->getInitializer()->isNullValue();
    const auto is_of_loader = [](const llvm::GlobalVariable& variable) {
        return variable.getSection().starts_with(".init_array") ||
               variable.getSection().starts_with(".preinit");
    };
    return (!has_none && (all == nullptr || llvm::any_of(all->operands(), takes_any))) ||
           llvm::any_of(module.globals(), is_of_loader);
}

}  // namespace

bool is_register(const llvm::Type& type) {
    return type.isVectorTy() || type.isAggregateType() ||
           ((type.isIntegerTy() || type.isFloatingPointTy()) &&
            type.getPrimitiveSizeInBits().getFixedValue() > 64);
}

PointsTo::PointsTo(llvm::Module& module, RangeOf range_of, uint64_t patience)
    : module_(module), range_of_(std::move(range_of)), size_(module.getInstructionCount()) {
    for (llvm::GlobalVariable& variable : module.globals()) {
        const Cell object = object_of(&variable);
        if (variable.hasInitializer()) {
            take_initializer(variable.getInitializer(), object);
        }
    }
    for (llvm::GlobalAlias& alias : module.aliases()) {
        if (is_visible(alias)) {
            sets_.add_trait(object_of(&alias), Trait::escaped, Rule::visible);
        }
    }
    for (llvm::GlobalIFunc& chosen : module.ifuncs()) {
        sets_.add_trait(cell_of(chosen.getResolver()), Trait::escaped, Rule::called_by_loader);
    }
    sets_.limit_steps(patience * size_);
    ConstraintVisitor visitor(*this);
    for (llvm::Function& function : module) {
        if (!function.isDeclaration()) {
            visitor.take(function);
        }
    }
    solve();
}

PointsTo::PointsTo(llvm::Module& module, llvm::ArrayRef<llvm::Function*> functions, RangeOf range_of,
                   uint64_t most_steps)
    : module_(module), range_of_(std::move(range_of)), functions_(functions.begin(), functions.end()) {
    sets_.limit_steps(most_steps);
    ConstraintVisitor visitor(*this);
    for (llvm::Function* function : functions) {
        visitor.take(*function);
    }
    solve();
}

Cell PointsTo::at(const llvm::Value* value) const {
    if (const auto found = values_.find(value); found != values_.end()) {
        return sets_.resolve(found->second);
    }
    return {};
}

Cell PointsTo::result_of(const llvm::Function* function) const {
    if (const auto found = results_.find(function); found != results_.end()) {
        return sets_.resolve(found->second);
    }
    return {};
}

Cell PointsTo::cell_of(llvm::Value* value) {
    if (!may_carry_pointers(*value->getType())) {
        return {};
    }
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
        return cell_of_constant(constant);
    }
    Cell& cell = values_[value];
    if (!cell) {
        cell = sets_.add();
    }
    return sets_.resolve(cell);
}

Cell PointsTo::cell_of_constant(llvm::Constant* constant) {
    if (auto* global = llvm::dyn_cast<llvm::GlobalValue>(constant)) {
        return object_of(global);
    }
    if (const auto found = values_.find(constant); found != values_.end()) {
        return sets_.resolve(found->second);
    }
    Cell cell;
    if (auto* address = llvm::dyn_cast<llvm::GEPOperator>(constant)) {
        cell = offset_by(*address, cell_of(address->getPointerOperand()));
    } else if (llvm::isa<llvm::ConstantAggregate>(constant)) {
        cell = sets_.add();
        take_initializer(constant, cell);
    } else if (!has_no_address(*constant)) {
        cell = cell_of_expression(*constant);
    }
    values_[constant] = cell;
    return sets_.resolve(cell);
}

/// What is no number in place of a pointer, or a pointer in place of a number, is not followed, whatever it
/// is: its operands are where nobody knows, and it may lead there.
Cell PointsTo::cell_of_expression(llvm::Constant& expression) {
    const auto* conversion = llvm::dyn_cast<llvm::ConstantExpr>(&expression);
    if (conversion != nullptr && keeps_address(*conversion)) {
        const Cell cell = cell_of(conversion->getOperand(0));
        if (cell || !is_chosen_address(*conversion)) {
            return cell;
        }
    } else {
        for (llvm::Use& operand : expression.operands()) {
            if (auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) {
                const Cell part = cell_of_constant(constant);
                expose(part, nullptr);
                sets_.add_trait(part, Trait::escaped, Rule::in_unknown_constant);
                takes_apart_ |= static_cast<bool>(part);
            }
        }
    }
    const Cell cell = sets_.add();
    sets_.add_trait(cell, Trait::escaped, Rule::comes_from_unseen_code);
    return cell;
}

/// Of an instruction, or of a function: what is too narrow to lead anywhere may still be a part of an
/// address.
void PointsTo::take_operand(llvm::Value& operand) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(&operand);
    if (constant != nullptr && !may_carry_pointers(*constant->getType())) {
        cell_of_constant(constant);
    }
}

Cell PointsTo::object_of(llvm::GlobalValue* global) {
    if (auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(global)) {
        return cell_of(alias->getAliasee());
    }
    Cell& cell = values_[global];
    if (!cell) {
        auto* function = llvm::dyn_cast<llvm::Function>(global);
        cell = sets_.add_object(function != nullptr ? Trait::function : Trait::global);
        if (function != nullptr) {
            cell.set->functions.push_back(function);
        }
        if (is_visible(*global) || llvm::isa<llvm::GlobalIFunc>(global) || !functions_.empty()) {
            sets_.add_trait(cell, Trait::escaped, Rule::visible);
        }
    }
    return sets_.resolve(cell);
}

/// What a constant that lies in memory at a cell points to.
void PointsTo::take_initializer(llvm::Constant* value, Cell at) {
    const llvm::DataLayout& layout = module_.getDataLayout();
    if (auto* structure = llvm::dyn_cast<llvm::ConstantStruct>(value)) {
        const llvm::StructLayout* fields = layout.getStructLayout(structure->getType());
        for (unsigned i = 0; i < structure->getNumOperands(); ++i) {
            take_initializer(structure->getOperand(i),
                             at.plus(static_cast<int64_t>(fields->getElementOffset(i).getFixedValue())));
        }
    } else if (llvm::isa<llvm::ConstantArray>(value) || llvm::isa<llvm::ConstantVector>(value)) {
        const auto bytes =
            static_cast<int64_t>(layout.getTypeAllocSize(value->getOperand(0)->getType()).getFixedValue());
        for (unsigned i = 0; i < value->getNumOperands(); ++i) {
            take_initializer(llvm::cast<llvm::Constant>(value->getOperand(i)), at.plus(i * bytes));
        }
    } else if (const Cell target = cell_of_constant(value)) {
        ++size_;
        sets_.unify(sets_.pointee(at), target);
    }
}

/// A value is read from or written to memory at a cell: where there may be pointers, they are the same.
void PointsTo::take_pointers_of(llvm::Value* value, Cell at) {
    const uint64_t bytes = module_.getDataLayout().getTypeStoreSize(value->getType()).getKnownMinValue();
    const Cell carried = cell_of(value);
    if (!carried || !at) {
        return;
    }
    if (is_register(*value->getType())) {
        copies_.push_back({carried, at, bytes, true});
    } else {
        sets_.unify(sets_.pointee(at), carried);
    }
}

/// So many bytes at one cell and at the other have the same pointers in them.
void PointsTo::take_parts(Cell one, Cell other, uint64_t bytes) {
    for (uint64_t part = 0; one && other && part + pointer_bytes <= bytes; part += pointer_bytes) {
        const auto offset = static_cast<int64_t>(part);
        sets_.unify(sets_.pointee(one.plus(offset)), sets_.pointee(other.plus(offset)));
    }
}

void PointsTo::connect(llvm::CallBase& call, llvm::Function& function) {
    if (!is_looked_at(function)) {
        llvm::for_each(call.args(), [this](llvm::Use& argument) { cell_of(argument); });
        cell_of(&call);
        outer_calls_.push_back({&call, &function});
        return;
    }
    for (unsigned i = 0; i < call.arg_size(); ++i) {
        if (i < function.arg_size()) {
            if (call.isByValArgument(i)) {
                // The function has a copy of its own, on the stack.
                sets_.add_trait(cell_of(call.getArgOperand(i)), Trait::stack);
            }
            sets_.unify(cell_of(call.getArgOperand(i)), cell_of(function.getArg(i)));
        } else if (!function.isVarArg() && may_see_unnamed(call, function)) {
            escape(call.getArgOperand(i), Rule::unnamed_argument, &call);
        }
    }
    if (!call.getType()->isVoidTy()) {
        Cell& result = results_[&function];
        if (!result) {
            result = sets_.add();
        }
        sets_.unify(result, cell_of(&call));
    }
}

/// Whether it is the words that a program is started with. They are made before it begins, and then are its
/// own: other code at most reads the first of them. Not where something of the loader's gets them too, or
/// where it may be no program that this is the beginning of.
bool PointsTo::is_command_line(const llvm::Argument& argument) const {
    const llvm::Function& function = *argument.getParent();
    const bool is_program =
        module_.getPICLevel() == llvm::PICLevel::NotPIC || module_.getPIELevel() != llvm::PIELevel::Default;
    return function.getName() == "main" && argument.getArgNo() == 1 && argument.getType()->isPointerTy() &&
           is_program && functions_.empty() && !function.hasAddressTaken() && !begins_with_arguments(module_);
}

void PointsTo::take_command_line(llvm::Argument& argument) {
    const Cell words = sets_.add_object(Trait::global), text = sets_.add_object(Trait::global);
    sets_.add_stride(words, pointer_bytes);
    sets_.add_stride(text, 1);
    sets_.unify(sets_.pointee(words), text);
    sets_.unify(words, cell_of(&argument));
}

const std::optional<llvm::SmallVector<const llvm::Value*, 2>>& PointsTo::formats_of(
    const llvm::Function& function) {
    const auto [found, is_new] = formats_.try_emplace(&function);
    if (is_new) {
        found->second = formats_of_printing(function);
    }
    return found->second;
}

void PointsTo::escape(llvm::Value* value, Rule rule, const llvm::Instruction* at) {
    if (cell_of(value)) {
        unseen_.insert(value);
    }
    sets_.add_trait(cell_of(value), Trait::escaped, rule, at);
}

void PointsTo::expose(Cell cell, const llvm::Instruction* at) {
    sets_.add_trait(cell, Trait::exposed, Rule::address_calculated, at);
}

}  // namespace malloom::compiler
