#include "compiler/analysis/points_to.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
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
    const bool is_as_lanes = (pointer - at) % static_cast<int64_t>(pointer_bytes) == 0 ||
                             llvm::isa<llvm::MemIntrinsic>(access.instruction);
    const bool has_all =
        at <= pointer && pointer + static_cast<int64_t>(pointer_bytes) <= end && is_as_lanes;
    return overlaps && !has_all;
}

bool may_cut(const Access& access, Cell at, int64_t pointer) {
    return llvm::any_of(at.set->alternatives(at.offset), [&](int64_t begin) {
        return llvm::any_of(at.set->alternatives(pointer),
                            [&](int64_t place) { return cuts(access, begin, place); });
    });
}

/// Whether a pointer may be in it: types say how many bytes a value has, and no more. A union may be copied as
/// a number with a fraction; and two halves of a pointer are one, whatever the elements of a vector are.
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

std::vector<int64_t> chosen_among(const llvm::Value& value) {
    constexpr unsigned most_choices = 8;
    std::vector<int64_t> found;
    const auto take = [&](const llvm::Value* choice) {
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(choice);
        if (constant != nullptr && constant->getBitWidth() <= 64) {
            found.push_back(constant->getSExtValue());
        }
        return constant != nullptr && found.size() <= most_choices;
    };
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&value)) {
        return llvm::all_of(phi->incoming_values(), take) ? found : std::vector<int64_t>();
    }
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&value)) {
        return take(select->getTrueValue()) && take(select->getFalseValue()) ? found : std::vector<int64_t>();
    }
    return {};
}

bool is_register(const llvm::Type& type) {
    return type.isVectorTy() || type.isAggregateType() ||
           ((type.isIntegerTy() || type.isFloatingPointTy()) &&
            type.getPrimitiveSizeInBits().getFixedValue() > 64);
}

std::optional<FieldChoice> field_choice(llvm::Value& address, const llvm::DataLayout& layout) {
    auto* instruction = llvm::dyn_cast<llvm::GetElementPtrInst>(&address);
    if (instruction == nullptr || !instruction->getType()->isPointerTy()) {
        return std::nullopt;
    }
    const bool is_accessed_only = llvm::all_of(instruction->uses(), [](const llvm::Use& use) {
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(use.getUser());
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(use.getUser());
        return (load != nullptr && load->isSimple()) ||
               (store != nullptr && store->isSimple() && use.getOperandNo() == 1);
    });
    auto& steps = llvm::cast<llvm::GEPOperator>(*instruction);
    const unsigned bits = layout.getIndexTypeSizeInBits(steps.getType());
    llvm::MapVector<llvm::Value*, llvm::APInt> variable;
    llvm::APInt constant(bits, 0);
    if (!is_accessed_only || !steps.collectOffset(layout, bits, variable, constant) || variable.size() != 1) {
        return std::nullopt;
    }
    const auto& [index, scale] = variable.front();
    FieldChoice choice = {steps.getPointerOperand(), chosen_among(*index)};
    for (int64_t& offset : choice.offsets) {
        offset = constant.getSExtValue() + offset * scale.getSExtValue();
    }
    return choice.offsets.empty() ? std::nullopt : std::optional(std::move(choice));
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
    if (variable.empty()) {
        steps_.push_back({base, constant.getSExtValue(), first});
        return sets_.resolve(first);
    }
    if (variable.size() == 1) {
        const auto& [index, scale] = variable.front();
        if (const std::vector<int64_t> choices = chosen_among(*index); !choices.empty()) {
            return one_of(base, constant.getSExtValue(), choices, scale.getSExtValue());
        }
        return within_array(address, base, constant.getSExtValue(), *index, scale.abs().getZExtValue());
    }
    for (const auto& [index, scale] : variable) {
        sets_.add_trait(base, Trait::many_in_one);
        sets_.add_stride(base, scale.abs().getZExtValue());
    }
    return sets_.resolve(first);
}

Cell PointsTo::one_of(Cell base, int64_t further, const std::vector<int64_t>& indices, int64_t scale) {
    const Cell first = base.plus(further + indices.front() * scale);
    for (const int64_t index : indices) {
        const int64_t bytes = further + index * scale;
        steps_.push_back({base, bytes, first});
        sets_.unify(first, base.plus(bytes));
    }
    return sets_.resolve(first);
}

/// An index with a lower bound stays within an array in the object, which may go on to the object's end; any
/// other may lead to any element of the object.
Cell PointsTo::within_array(llvm::GEPOperator& address, Cell base, int64_t further, llvm::Value& index,
                            uint64_t stride) {
    constexpr int64_t most_elements = 1 << 16, endless = int64_t{1} << 28;
    const Cell first = base.plus(further);
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(&address)) {
        const llvm::ConstantRange range = range_of_(index, *instruction->getFunction());
        if (range.getBitWidth() <= 64 && !range.isFullSet() && !range.isEmptySet()) {
            const int64_t least = range.getSignedMin().getSExtValue();
            int64_t most = range.getSignedMax().getSExtValue();
            most = most <= most_elements ? most : endless;
            if (least >= -most_elements) {
                const int64_t before = least * static_cast<int64_t>(stride);
                const uint64_t bytes = static_cast<uint64_t>(most - least + 1) * stride;
                const Cell begin = first.plus(before);
                sets_.add_region(begin, bytes, stride);
                steps_.push_back({base, further + before, begin, bytes, stride});
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
    // What is copied to and fro may lead further and further: after so many rounds nothing is told apart there.
    constexpr unsigned patience = 16;
    unsigned rounds = 0;
    for (uint64_t before = UINT64_MAX; before != sets_.changes();) {
        before = sets_.changes();
        widens_ = ++rounds > patience;
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
    // Values that are followed later may bring further ones.
    for (size_t i = 0; i < copies_.size(); ++i) {
        const Copy copy = copies_[i];
        follow_copy(copy);
        follow_copy({copy.from, copy.to, copy.bytes, copy.is_of_value});
    }
}

void PointsTo::follow_copy(const Copy& copy) {
    const Cell from = sets_.resolve(copy.from), to = sets_.resolve(copy.to);
    if (!from || !to) {
        return;
    }
    if (widens_ && !copy.is_of_value && (from.set->stride() == 0 || to.set->stride() == 0)) {
        sets_.add_stride(from, pointer_bytes);
        sets_.add_stride(to, pointer_bytes);
        return;
    }
    const bool has_all = copy.bytes == 0 || from.set->stride() != 0;
    llvm::SmallVector<std::pair<Cell, Cell>> same;
    for (const auto& [key, pointee] : from.set->pointers()) {
        for (const int64_t pointer : from.set->alternatives(key)) {
            for (const int64_t begin : from.set->alternatives(from.offset)) {
                const int64_t part = pointer - begin;
                if (!has_all && (part < 0 || static_cast<uint64_t>(part) >= copy.bytes)) {
                    continue;
                }
                for (const int64_t target : to.set->alternatives(to.offset)) {
                    same.push_back({Cell{from.set, pointer}, Cell{to.set, target + part}});
                }
            }
        }
    }
    for (const auto& [one, other] : same) {
        sets_.unify(sets_.pointee(one), sets_.pointee(other));
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

/// A pointer that may lead to several places leads to as many further ones; and one to any element of an array
/// to as many behind it.
void PointsTo::follow_steps() {
    for (size_t i = 0; i < steps_.size(); ++i) {
        const Step step = steps_[i];
        const Cell from = sets_.resolve(step.from);
        if (!from) {
            continue;
        }
        const llvm::SmallVector<int64_t, 2> alternatives = from.set->alternatives(from.offset);
        if (widens_ && alternatives.size() > 1) {
            sets_.add_stride(from, step.stride != 0 ? step.stride : pointer_bytes);
            continue;
        }
        for (const int64_t begin : alternatives) {
            const Cell target = {from.set, begin + step.bytes};
            if (step.stride != 0 && alternatives.size() > 1) {
                sets_.add_region(target, step.array_bytes, step.stride);
            }
            sets_.unify(target, step.to);
        }
        const Cell base = sets_.resolve(step.from), result = sets_.resolve(step.to);
        const Region* region = base.set->region_of(base.offset);
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
            if (may_cut(access, at, offset)) {
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
