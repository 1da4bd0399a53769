// Where an address leads that is calculated from another: some bytes further in an object, to an element of
// an array in it, or to one of some fields.
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

#include <numeric>

#include "compiler/analysis/library_functions.h"
#include "compiler/analysis/points_to.h"

namespace malloom::compiler {

namespace {

/// What an index is always a multiple of. Where a product may wrap around, only a power of two still divides
/// it.
uint64_t factor_of(const llvm::Value& index) {
    const auto* product = llvm::dyn_cast<llvm::BinaryOperator>(&index);
    const auto* constant =
        product != nullptr ? llvm::dyn_cast<llvm::ConstantInt>(product->getOperand(1)) : nullptr;
    if (constant == nullptr || constant->getBitWidth() != 64 || constant->isNegative() ||
        constant->isZero()) {
        return 1;
    }
    const uint64_t number = constant->getZExtValue();
    switch (product->getOpcode()) {
        case llvm::Instruction::Shl:
            return number < 32 ? uint64_t{1} << number : 1;
        case llvm::Instruction::Mul:
            return product->hasNoSignedWrap() || product->hasNoUnsignedWrap() ? number
                                                                              : number & (~number + 1);
        default:
            return 1;
    }
}

/// Whether a number is a pointer, or one of some, or null.
bool is_address(const llvm::Value& number, unsigned depth = 0) {
    constexpr unsigned most_choices = 4;
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(&number);
    if (phi == nullptr || depth == most_choices) {
        return llvm::isa<llvm::PtrToIntInst>(number);
    }
    const auto is_null = [](const llvm::Value* choice) {
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(choice);
        return constant != nullptr && constant->isZero();
    };
    const auto may_be_one = [&](const llvm::Value* choice) {
        return choice == phi || is_null(choice) || is_address(*choice, depth + 1);
    };
    return llvm::all_of(phi->incoming_values(), may_be_one) && !llvm::all_of(phi->incoming_values(), is_null);
}

/// Whether a function of the C library takes an argument for a number, which it gives to nobody.
bool is_length(const llvm::Function& callee, unsigned argument) {
    const std::optional<LibraryFunction> function = library_function(callee.getName());
    return function && function->result != Result::number && function->argument(argument) == '-';
}

/// Whether a distance is only taken for a number of elements there, a length, or a bound.
bool is_of_elements(const llvm::Use& distance) {
    const llvm::User* user = distance.getUser();
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
        const llvm::Function* callee = call->getCalledFunction();
        return callee != nullptr && callee->isDeclaration() && call->isArgOperand(&distance) &&
               (llvm::isa<llvm::MemIntrinsic>(call) || heap_call(callee->getName()) ||
                is_length(*callee, call->getArgOperandNo(&distance)));
    }
    if (llvm::isa<llvm::TruncInst>(user)) {
        return true;  // in fewer bits it is no address, and is followed no further
    }
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        return address->getSourceElementType()->isIntegerTy(8) && !address->getType()->isVectorTy() &&
               distance.getOperandNo() == 1 && address->getNumIndices() == 1;
    }
    const auto* calculation = llvm::dyn_cast<llvm::PossiblyExactOperator>(user);
    const bool divides = calculation != nullptr && llvm::isa<llvm::ConstantInt>(calculation->getOperand(1));
    return llvm::isa<llvm::ICmpInst>(user) || divides;
}

/// Whether it leads to where an object begins, and nowhere else.
bool is_object(const llvm::Value& value) {
    return llvm::isa<llvm::GlobalVariable, llvm::AllocaInst>(value);
}

/// What makes one place of several, and no more than that.
uint64_t distance_among(llvm::ArrayRef<int64_t> offsets) {
    uint64_t distance = 0;
    for (const int64_t offset : offsets) {
        distance = std::gcd(distance, static_cast<uint64_t>(offset - offsets.front()));
    }
    return distance;
}

}  // namespace

bool is_distance(const llvm::Instruction& instruction) {
    return instruction.getOpcode() == llvm::Instruction::Sub && instruction.getType()->isIntegerTy(64) &&
           is_address(*instruction.getOperand(0)) && is_address(*instruction.getOperand(1)) &&
           llvm::all_of(instruction.uses(), is_of_elements);
}

/// A constant distance moves the offset; a variable one makes what is that far apart one.
Cell PointsTo::offset_by(llvm::GEPOperator& address, Cell base) {
    if (!base) {
        return base;
    }
    const Way& way = ways_.of(address);
    if (!way.is_known) {
        sets_.add_stride(base, 1);
        return sets_.resolve(base);
    }
    if (!way.choices.empty()) {
        return one_of(base, way);
    }
    const auto* distance = llvm::dyn_cast_or_null<llvm::Instruction>(way.index());
    if (distance != nullptr && is_distance(*distance)) {
        return by_distance(base, *distance);
    }
    if (const std::optional<Walk> walk = walk_of(address); walk && walk->stride != 0) {
        return within_array(*walk);
    }
    base = root_cell(way.root);
    const Cell first = base.plus(way.first);
    if (way.indices.empty()) {
        steps_.push_back({base, way.first, first, 0, 0, is_object(*way.root)});
        return sets_.resolve(first);
    }
    for (const auto& [index, scale] : way.indices) {
        sets_.add_trait(base, Trait::many_in_one);
        sets_.add_stride(base, scale.abs().getZExtValue() * factor_of(*index));
    }
    return sets_.resolve(first);
}

Cell PointsTo::one_of(Cell base, const Way& way) {
    const Cell first = base.plus(way.bytes_of(way.choices.front()));
    for (const int64_t choice : way.choices) {
        const int64_t bytes = way.bytes_of(choice);
        steps_.push_back({base, bytes, first});
        sets_.unify(first, base.plus(bytes));
    }
    return sets_.resolve(first);
}

/// To wherever another step would lead that is as far.
Cell PointsTo::by_distance(Cell base, const llvm::Instruction& distance) {
    const Cell to = sets_.add();
    steps_by_distance_.push_back({base, distance.getOperand(1), distance.getOperand(0), to});
    return to;
}

/// How an address is found from one that no index has found. None where that is not known.
std::optional<Walk> PointsTo::walk_of(llvm::GEPOperator& address, unsigned depth) {
    constexpr unsigned most_steps = 8;
    const Way& way = ways_.of(address);
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&address);
    if (!way.is_known || depth == most_steps || way.indices.size() > (instruction != nullptr ? 1 : 0)) {
        return std::nullopt;
    }
    Walk walk = {way.root};
    if (auto* before = llvm::dyn_cast<llvm::GEPOperator>(walk.root)) {
        walk = walk_of(*before, depth + 1).value_or(walk);
    }
    walk.in_element += way.first;
    if (way.index() != nullptr && (instruction == nullptr || !take_index(walk, *instruction, way))) {
        return std::nullopt;
    }
    if (walk.stride != 0) {
        const auto stride = static_cast<int64_t>(walk.stride);
        const int64_t elements = llvm::divideFloorSigned(walk.in_element, stride) * stride;
        walk.first += elements;
        walk.in_element -= elements;
    }
    return walk;
}

/// An index with a lower bound stays within an array in the object, which may go on to the object's end.
/// False where it may lead to any element of the object.
bool PointsTo::take_index(Walk& walk, const llvm::Instruction& address, const Way& way) const {
    constexpr int64_t most_bytes = 1 << 20;
    llvm::Value& index = *way.indices.front().first;
    const auto* number = llvm::dyn_cast<llvm::Instruction>(&index);
    const auto factor = static_cast<int64_t>(factor_of(index));
    const auto bytes = static_cast<int64_t>(way.indices.front().second.abs().getZExtValue());
    if (!way.choices.empty() || (number != nullptr && is_distance(*number)) || bytes == 0) {
        return false;
    }
    const llvm::ConstantRange range = range_of_(index, *const_cast<llvm::Function*>(address.getFunction()));
    const bool is_known = range.getBitWidth() <= 64 && !range.isFullSet() && !range.isEmptySet();
    if (!is_known || range.getSignedMin().getSExtValue() < -most_bytes / bytes) {
        return false;
    }
    const int64_t least = llvm::divideFloorSigned(range.getSignedMin().getSExtValue(), factor) * factor;
    const int64_t most = range.getSignedMax().getSExtValue();
    const int64_t length = most <= most_bytes / bytes ? (most - least) * bytes : AliasSets::endless_array;
    const auto stride = static_cast<uint64_t>(factor * bytes);
    walk.first += walk.in_element + least * bytes;
    walk.in_element = 0;
    walk.bytes += static_cast<uint64_t>(length) + stride - walk.stride;
    walk.stride = std::gcd(walk.stride, stride);
    return true;
}

/// A variable begins where it does, also where an array of another one has the same offsets.
Cell PointsTo::root_cell(llvm::Value* root) {
    const Cell cell = cell_of(root);
    return is_object(*root) ? AliasSets::find(values_.lookup(root)) : cell;
}

Cell PointsTo::within_array(const Walk& walk) {
    const Cell root = root_cell(walk.root);
    if (!root) {
        return root;
    }
    const Cell begin = root.plus(walk.first);
    sets_.add_region(begin, walk.bytes, walk.stride);
    steps_.push_back({root, walk.first, begin, walk.bytes, walk.stride, is_object(*walk.root)});
    const Cell found = begin.plus(walk.in_element);
    if (walk.in_element != 0) {
        steps_.push_back({begin, walk.in_element, found, 0, 0, true});
    }
    return sets_.resolve(found);
}

/// A pointer that may lead to several places leads to as many further ones; and one to any element of an
/// array to as many behind it.
void PointsTo::follow_steps() {
    for (size_t i = 0; i < steps_.size(); ++i) {
        const Step step = steps_[i];
        sets_.count(1);
        const Cell from = sets_.resolve(step.from);
        if (!from) {
            continue;
        }
        const llvm::SmallVector<int64_t, 2> alternatives = from.set->alternatives(from.offset);
        if (widens_ && alternatives.size() > 1) {
            sets_.add_stride(from, step.stride != 0 ? step.stride : distance_among(alternatives));
            continue;
        }
        for (const int64_t begin : alternatives) {
            follow_step_in_array({from.set, begin}, step);
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

/// From any element of an array to another one, which may lie before the first or behind the last.
void PointsTo::follow_step_in_array(Cell at, const Step& step) {
    const Region* region = at.set->region_of(at.offset);
    if (region == nullptr || step.is_known) {
        return;
    }
    const auto length = static_cast<int64_t>(region->stride);
    const int64_t first = llvm::mod(at.offset - region->begin, length) + step.bytes;
    const uint64_t stride = std::gcd(region->stride, step.stride);
    if (first < 0) {
        sets_.add_stride(at, stride);
    } else if (first + static_cast<int64_t>(std::max<uint64_t>(step.array_bytes, 1)) > length) {
        sets_.make_endless(*at.set, *region, stride);
    }
}

/// Who counts the elements between two pointers may come from one to the other. Those of one set are in one
/// array already; others are not known to be before all the rest is, one after the other.
void PointsTo::follow_distances() {
    for (const auto& [one, other] : distances_) {
        if (cell_of(one).set != cell_of(other).set) {
            sets_.unify(cell_of(one), cell_of(other));
            if (!sets_.is_coarse()) {
                return;
            }
        }
    }
    for (const StepByDistance& step : steps_by_distance_) {
        if (!follow_by_distance(step)) {
            sets_.add_stride(step.from, 1);
            sets_.unify(step.from, step.to);
        }
    }
}

/// From one element to another there are whole elements; where there are none, nobody knows how far it is.
bool PointsTo::follow_by_distance(const StepByDistance& step) {
    const Cell begin = cell_of(step.begin), end = cell_of(step.end), from = sets_.resolve(step.from);
    if (!from || !begin || begin.set != end.set) {
        return false;
    }
    const Region* region = begin.set->region_of(begin.offset);
    const uint64_t stride = region != nullptr ? region->stride : begin.set->stride();
    if (stride != 0) {
        sets_.add_stride(from, stride);
        sets_.unify(step.to, from.plus(end.offset - begin.offset));
    }
    return stride != 0;
}

}  // namespace malloom::compiler
