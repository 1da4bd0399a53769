// Where an address leads that is calculated from another: some bytes further in an object, to an element of
// an array in it, or to one of some fields.
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/MathExtras.h>

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

/// Whether a distance is only taken for a number of elements there, a length, or a bound.
bool is_of_elements(const llvm::Use& distance) {
    const llvm::User* user = distance.getUser();
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
        const llvm::Function* callee = call->getCalledFunction();
        return callee != nullptr && (llvm::isa<llvm::MemIntrinsic>(call) || heap_call(callee->getName()));
    }
    const auto* calculation = llvm::dyn_cast<llvm::PossiblyExactOperator>(user);
    const bool divides = calculation != nullptr && calculation->isExact() &&
                         (calculation->getOpcode() == llvm::Instruction::SDiv ||
                          calculation->getOpcode() == llvm::Instruction::AShr);
    return llvm::isa<llvm::ICmpInst>(user) || (divides && llvm::isa<llvm::ConstantInt>(user->getOperand(1)));
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

bool is_distance(const llvm::Instruction& instruction) {
    return instruction.getOpcode() == llvm::Instruction::Sub && instruction.getType()->isIntegerTy(64) &&
           llvm::isa<llvm::PtrToIntInst>(instruction.getOperand(0)) &&
           llvm::isa<llvm::PtrToIntInst>(instruction.getOperand(1)) &&
           llvm::all_of(instruction.uses(), is_of_elements);
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
        sets_.add_stride(base, scale.abs().getZExtValue() * factor_of(*index));
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
                            uint64_t scale) {
    constexpr int64_t most_bytes = 1 << 20, endless = int64_t{1} << 28;
    const auto factor = static_cast<int64_t>(factor_of(index)), bytes = static_cast<int64_t>(scale);
    const Cell first = base.plus(further);
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(&address)) {
        const llvm::ConstantRange range = range_of_(index, *instruction->getFunction());
        const bool is_known = range.getBitWidth() <= 64 && !range.isFullSet() && !range.isEmptySet();
        if (is_known && range.getSignedMin().getSExtValue() >= -most_bytes / bytes) {
            const int64_t least =
                llvm::divideFloorSigned(range.getSignedMin().getSExtValue(), factor) * factor;
            const int64_t most = range.getSignedMax().getSExtValue();
            const int64_t before = least * bytes;
            const int64_t length = most <= most_bytes / bytes ? (most - least) * bytes : endless;
            const auto stride = static_cast<uint64_t>(factor * bytes);
            const Cell begin = first.plus(before);
            sets_.add_region(begin, static_cast<uint64_t>(length) + stride, stride);
            steps_.push_back({base, further + before, begin, static_cast<uint64_t>(length) + stride, stride});
            return sets_.resolve(begin);
        }
    }
    sets_.add_trait(first, Trait::many_in_one);
    sets_.add_stride(first, static_cast<uint64_t>(factor * bytes));
    return sets_.resolve(first);
}

}  // namespace malloom::compiler
