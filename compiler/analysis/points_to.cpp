#include "compiler/analysis/points_to.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include "compiler/analysis/constraints.h"

namespace malloom::compiler {

namespace {

constexpr uint64_t pointer_bytes = 8;

bool names_object(Cell cell) {
    return cell &&
           (cell.set->is_anchored() || cell.set->has(Trait::escaped) || !cell.set->pointers().empty());
}

/// Whether an access may have only a part of a pointer in it, or two halves.
bool cuts(const Access& access, int64_t at, int64_t pointer) {
    const auto end = at + static_cast<int64_t>(access.bytes);
    const bool overlaps = at < pointer + static_cast<int64_t>(pointer_bytes) && pointer < end;
    const bool has_all = at <= pointer && pointer + static_cast<int64_t>(pointer_bytes) <= end &&
                         (pointer - at) % static_cast<int64_t>(pointer_bytes) == 0;
    return overlaps && !has_all;
}

/// Whether a pointer may be in it: types say how many bytes a value has, and no more. A union may be copied
/// as a number with a fraction; and two halves of a pointer are one, whatever the elements of a vector are.
bool may_carry_pointers(llvm::Type& type) {
    if (type.isIntegerTy() || type.isFloatingPointTy()) {
        return type.getPrimitiveSizeInBits().getFixedValue() >= 64;
    }
    return type.isPointerTy() || type.isVectorTy() || type.isAggregateType();
}

/// Whether others than the program's own code may use a function or variable by its name.
bool is_visible(const llvm::GlobalValue& global) {
    return !global.hasLocalLinkage();
}

}  // namespace

bool is_register(const llvm::Type& type) {
    return type.isVectorTy() || type.isAggregateType() ||
           ((type.isIntegerTy() || type.isFloatingPointTy()) &&
            type.getPrimitiveSizeInBits().getFixedValue() > 64);
}

PointsTo::PointsTo(llvm::Module& module, RangeOf range_of) : module_(module), range_of_(std::move(range_of)) {
    for (llvm::GlobalVariable& variable : module.globals()) {
        const Cell object = object_of(&variable);
        if (variable.hasInitializer()) {
            take_initializer(variable.getInitializer(), object);
        }
    }
    for (llvm::GlobalAlias& alias : module.aliases()) {
        if (is_visible(alias)) {
            sets_.add_trait(object_of(&alias), Trait::escaped, "is visible to other code");
        }
    }
    for (llvm::GlobalIFunc& chosen : module.ifuncs()) {
        sets_.add_trait(cell_of(chosen.getResolver()), Trait::escaped, "is called by the loader");
    }
    ConstraintVisitor visitor(*this);
    for (llvm::Function& function : module) {
        if (!function.isDeclaration()) {
            visitor.take(function);
        }
    }
    solve();
}

Cell PointsTo::at(const llvm::Value* value) const {
    if (const auto found = values_.find(value); found != values_.end()) {
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
    } else if (auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(constant)) {
        for (llvm::Use& operand : expression->operands()) {
            const Cell part = cell_of(operand);
            if (!expression->isCast()) {
                expose(part, nullptr);
            }
            if (cell) {
                sets_.unify(cell, part);
            } else {
                cell = part;
            }
        }
    } else if (llvm::isa<llvm::ConstantAggregate>(constant)) {
        cell = sets_.add();
        take_initializer(constant, cell);
    }
    values_[constant] = cell;
    return sets_.resolve(cell);
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
        if (is_visible(*global) || llvm::isa<llvm::GlobalIFunc>(global)) {
            sets_.add_trait(cell, Trait::escaped, "is visible to other code");
        }
    }
    return sets_.resolve(cell);
}

/// A constant distance moves the offset; a variable one makes what is that far apart one.
Cell PointsTo::offset_by(llvm::GEPOperator& address, Cell base) {
    if (!base) {
        return base;
    }
    const llvm::DataLayout& layout = module_.getDataLayout();
    const unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
    llvm::MapVector<llvm::Value*, llvm::APInt> variable;
    llvm::APInt constant(bits, 0);
    if (address.getType()->isVectorTy() || !address.collectOffset(layout, bits, variable, constant)) {
        sets_.add_stride(base, 1);
        return sets_.resolve(base);
    }
    const Cell first = base.plus(constant.getSExtValue());
    if (variable.size() == 1) {
        const auto& [index, scale] = variable.front();
        return within_array(address, first, *index, scale.abs().getZExtValue());
    }
    for (const auto& [index, scale] : variable) {
        sets_.add_trait(base, Trait::many_in_one);
        sets_.add_stride(base, scale.abs().getZExtValue());
    }
    return sets_.resolve(first);
}

/// An index with bounds stays within an array in the object; any other may lead to any element of the object.
Cell PointsTo::within_array(llvm::GEPOperator& address, Cell first, llvm::Value& index, uint64_t stride) {
    constexpr int64_t most_elements = 1 << 16;
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(&address)) {
        const llvm::ConstantRange range = range_of_(index, *instruction->getFunction());
        if (range.getBitWidth() <= 64 && !range.isFullSet() && !range.isEmptySet()) {
            const int64_t least = range.getSignedMin().getSExtValue(),
                          most = range.getSignedMax().getSExtValue();
            if (least >= -most_elements && most <= most_elements) {
                const Cell begin = first.plus(least * static_cast<int64_t>(stride));
                sets_.add_region(begin, static_cast<uint64_t>(most - least + 1) * stride, stride);
                return sets_.resolve(begin);
            }
        }
    }
    sets_.add_trait(first, Trait::many_in_one);
    sets_.add_stride(first, stride);
    return sets_.resolve(first);
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
        take_parts(at, carried, bytes);
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
    for (unsigned i = 0; i < call.arg_size(); ++i) {
        if (i < function.arg_size()) {
            if (call.isByValArgument(i)) {
                // The function has a copy of its own, on the stack.
                sets_.add_trait(cell_of(call.getArgOperand(i)), Trait::stack);
            }
            sets_.unify(cell_of(call.getArgOperand(i)), cell_of(function.getArg(i)));
        } else {
            escape(call.getArgOperand(i), "is an argument that has no name", &call);
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

void PointsTo::escape(llvm::Value* value, const char* reason, const llvm::Instruction* at) {
    if (cell_of(value)) {
        unseen_.insert(value);
    }
    sets_.add_trait(cell_of(value), Trait::escaped, reason, at);
}

void PointsTo::expose(Cell cell, const llvm::Instruction* at) {
    sets_.add_trait(cell, Trait::exposed, "its address is calculated with", at);
}

void PointsTo::solve() {
    for (uint64_t before = UINT64_MAX; before != sets_.changes();) {
        before = sets_.changes();
        follow_copies();
        follow_indirect_calls();
        follow_numbers();
        follow_steps();
        follow_outside();
        follow_exposed();
        follow_partial_accesses();
        spread_escapes();
    }
}

/// Pointers that are copied with the bytes around them are the same in both objects.
void PointsTo::follow_copies() {
    for (const Copy& copy : copies_) {
        for (const auto& [source, target] : {std::pair(copy.from, copy.to), std::pair(copy.to, copy.from)}) {
            const Cell from = sets_.resolve(source);
            if (!from) {
                continue;
            }
            llvm::SmallVector<int64_t> offsets;
            for (const auto& [offset, pointee] : from.set->pointers()) {
                offsets.push_back(offset);
            }
            for (const int64_t offset : offsets) {
                const Cell now = sets_.resolve(source);
                const int64_t part = offset - now.offset;
                if (copy.bytes == 0 || now.set->stride() != 0 ||
                    (part >= 0 && static_cast<uint64_t>(part) < copy.bytes)) {
                    sets_.unify(sets_.pointee(now.plus(part)), sets_.pointee(target.plus(part)));
                }
            }
        }
    }
}

void PointsTo::follow_indirect_calls() {
    for (llvm::CallBase* call : indirect_calls_) {
        const Cell callee = cell_of(call->getCalledOperand());
        if (!callee) {
            continue;
        }
        const llvm::SmallVector<llvm::Function*, 4> functions(callee.set->functions.begin(),
                                                              callee.set->functions.end());
        for (llvm::Function* function : functions) {
            if (function->isDeclaration() || function->isVarArg()) {
                sets_.add_trait(callee, Trait::escaped, "may be code that is not seen", call);
            } else {
                connect(*call, *function);
            }
        }
        if (sets_.resolve(callee).set->has(Trait::escaped)) {
            for (llvm::Use& argument : call->args()) {
                escape(argument, "is given to code that is not seen", call);
            }
            escape(call, "comes from code that is not seen", call);
        }
    }
}

/// The parts of a value that was calculated from addresses are that, too.
void PointsTo::calculated_parts_of(Cell place) {
    llvm::SmallVector<Cell> parts;
    for (const auto& [offset, part] : sets_.resolve(place).set->pointers()) {
        parts.push_back(part);
    }
    for (const Cell part : parts) {
        sets_.add_trait(part, Trait::calculated);
    }
}

/// What is calculated with addresses may lead anywhere that addresses are calculated with.
void PointsTo::follow_numbers() {
    for (const auto& [operand, instruction] : numbers_) {
        const Cell cell = cell_of(operand);
        llvm::SmallVector<Cell> carried = {cell};
        if (cell && is_register(*operand->getType())) {
            carried.clear();
            for (const auto& [offset, part] : cell.set->pointers()) {
                carried.push_back(part);
            }
        }
        for (const Cell part : carried) {
            if (names_object(sets_.resolve(part))) {
                expose(part, instruction);
                const Cell result = cell_of(instruction);
                sets_.add_trait(result, Trait::escaped, "is calculated from addresses", instruction);
                sets_.add_trait(result, Trait::calculated);
                if (result && is_register(*instruction->getType())) {
                    calculated_parts_of(result);
                }
            }
        }
    }
}

/// What memory points to that a library writes to a file, or fills from one.
void PointsTo::follow_outside() {
    for (const auto& [place, instruction] : carried_outside_) {
        llvm::SmallVector<Cell> reached;
        for (const auto& [offset, pointee] : sets_.resolve(place).set->pointers()) {
            reached.push_back(pointee);
        }
        for (const Cell pointee : reached) {
            sets_.add_trait(pointee, Trait::escaped, "goes outside and comes back", instruction);
        }
    }
}

/// Whether a number that was calculated from addresses is used as an address, or may be where nobody sees it.
bool PointsTo::uses_calculated() {
    const auto is_calculated = [&](Cell cell) {
        cell = sets_.resolve(cell);
        return cell && cell.set->has(Trait::calculated);
    };
    for (const AliasSet* set : sets_.all()) {
        const bool leads_there =
            set->has(Trait::escaped) && !set->has(Trait::calculated) &&
            llvm::any_of(set->pointers(), [&](const auto& pointer) { return is_calculated(pointer.second); });
        if (leads_there || (set->has(Trait::calculated) && !set->releases.empty())) {
            return true;
        }
    }
    return llvm::any_of(accesses_, [&](const Access& access) { return is_calculated(access.at); }) ||
           llvm::any_of(library_accesses_,
                        [&](const LibraryAccess& access) {
                            llvm::Value* given = access.call->getArgOperand(access.argument);
                            return given->getType()->isPointerTy() && is_calculated(cell_of(given));
                        }) ||
           llvm::any_of(unseen_, [&](llvm::Value* value) { return is_calculated(cell_of(value)); });
}

/// An address that was calculated may lead to all objects whose addresses have been calculated with: what is
/// stored there by the one is found by the other, and they may be released by it.
void PointsTo::follow_exposed() {
    if (!uses_calculated()) {
        return;
    }
    for (AliasSet* set : sets_.all()) {
        if (set->has(Trait::exposed)) {
            sets_.add_trait({set, 0}, Trait::escaped, "a calculated address may lead to it");
        }
    }
}

/// A step out of an array begins at any of its elements, and so leads to as many places behind it.
void PointsTo::follow_steps() {
    for (const auto& [from, to] : steps_) {
        const Cell base = sets_.resolve(from), result = sets_.resolve(to);
        const Region* region = base ? base.set->region_of(base.offset) : nullptr;
        if (region != nullptr && base.set->region_of(result.offset) != region) {
            sets_.add_stride(base, region->stride);
        }
    }
}

/// What begins at an element of an array that nobody knows, and is longer, ends nobody knows where.
void PointsTo::follow_elements(Cell at, uint64_t bytes) {
    const Region* region = at.set->region_of(at.offset);
    if (region == nullptr || region->stride == 0) {
        return;
    }
    const uint64_t begin = static_cast<uint64_t>(at.offset - region->begin) % region->stride;
    if (bytes == 0 || begin + bytes > region->stride) {
        sets_.add_stride(at, region->stride);
    }
}

/// Halves of pointers are numbers.
void PointsTo::follow_partial_accesses() {
    for (const Access& access : accesses_) {
        Cell at = sets_.resolve(access.at);
        if (!at) {
            continue;
        }
        follow_elements(at, access.bytes);
        at = sets_.resolve(access.at);
        llvm::SmallVector<int64_t> cut;
        for (const auto& [offset, pointee] : at.set->pointers()) {
            if (cuts(access, at.offset, offset)) {
                cut.push_back(offset);
            }
        }
        for (const int64_t offset : cut) {
            const Cell pointee = sets_.pointee({at.set, offset});
            expose(pointee, access.instruction);
            if (access.is_write) {
                sets_.add_trait(pointee, Trait::escaped, "is put together from parts", access.instruction);
                sets_.add_trait(pointee, Trait::calculated);
            }
        }
    }
}

/// What is reached from something that escaped has escaped, and functions among it are called from there.
void PointsTo::spread_escapes() {
    for (AliasSet* set : sets_.all()) {
        if (!set->has(Trait::escaped)) {
            continue;
        }
        llvm::SmallVector<Cell> reached;
        for (const auto& [offset, pointee] : set->pointers()) {
            reached.push_back(pointee);
        }
        for (llvm::Function* function : set->functions) {
            for (llvm::Argument& argument : function->args()) {
                reached.push_back(cell_of(&argument));
            }
            if (const auto result = results_.find(function); result != results_.end()) {
                reached.push_back(result->second);
            }
        }
        for (const Cell cell : reached) {
            sets_.add_trait(cell, Trait::escaped, "is reached from what other code sees");
        }
    }
}

}  // namespace malloom::compiler
