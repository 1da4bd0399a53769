#include "compiler/analysis/constraints.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace malloom::compiler {

namespace {

/// Bytes from the beginning of a value to an element of it.
uint64_t offset_in(const llvm::DataLayout& layout, llvm::Type& type, llvm::ArrayRef<unsigned> indices) {
    uint64_t offset = 0;
    llvm::Type* at = &type;
    for (const unsigned index : indices) {
        if (auto* structure = llvm::dyn_cast<llvm::StructType>(at)) {
            offset += layout.getStructLayout(structure)->getElementOffset(index).getFixedValue();
            at = structure->getElementType(index);
        } else {
            at = llvm::cast<llvm::ArrayType>(at)->getElementType();
            offset += index * layout.getTypeAllocSize(at).getFixedValue();
        }
    }
    return offset;
}

/// Whether what has fractions may come out of it bit by bit as it went in. Of intrinsics these are the ones
/// that put lanes in another order, and all that one kind of processor alone has: many of them do.
bool may_move_lanes(const llvm::Instruction& instruction) {
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (intrinsic == nullptr) {
        return llvm::isa<llvm::ShuffleVectorInst, llvm::ExtractElementInst, llvm::InsertElementInst,
                         llvm::BitCastInst>(instruction);
    }
    const llvm::Function& callee = *intrinsic->getCalledFunction();
    const llvm::StringRef name = callee.getName();
    const bool is_of_lanes = name.contains(".vector.") || name.starts_with("llvm.vp.");
    return callee.isTargetIntrinsic() || (is_of_lanes && !name.contains(".reduce."));
}

}  // namespace

uint64_t tag_bits(const llvm::Value& value, bool is_kept) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
    if (constant == nullptr || constant->getBitWidth() != 64) {
        return 0;
    }
    const uint64_t bits = is_kept ? ~constant->getZExtValue() : constant->getZExtValue();
    return bits < object_alignment ? bits : 0;
}

uint64_t constant_of(const llvm::Value& value) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
    return constant != nullptr ? constant->getLimitedValue() : 0;
}

/// Whether calls are not connected with it: of other code, or with arguments of which nobody knows what
/// becomes.
bool ConstraintVisitor::may_have_unseen_callers(const llvm::Function& function) {
    return !function.hasLocalLinkage() || (function.isVarArg() && !to_.formats_of(function));
}

void ConstraintVisitor::take(llvm::Function& function) {
    for (llvm::Use& operand : function.operands()) {
        to_.escape(operand, Rule::in_unknown_constant, nullptr);
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        for (llvm::Use& operand : instruction.operands()) {
            to_.take_operand(*operand);
        }
        visit(instruction);
    }
    if (may_have_unseen_callers(function)) {
        for (llvm::Argument& argument : function.args()) {
            if (to_.is_command_line(argument)) {
                to_.take_command_line(argument);
            } else {
                to_.escape(&argument, Rule::comes_from_other_code, &function.getEntryBlock().front());
            }
        }
    }
}

void ConstraintVisitor::same(llvm::Value& one, llvm::Value& other) {
    sets_.unify(to_.cell_of(&one), to_.cell_of(&other));
}

/// Where an address leads: to one place, or to one of some fields.
llvm::SmallVector<Cell, 2> ConstraintVisitor::places_of(llvm::Value& address) {
    const Way* way = to_.ways_.of_fields(address);
    if (way == nullptr) {
        return {to_.cell_of(&address)};
    }
    llvm::SmallVector<Cell, 2> places;
    const Cell object = to_.cell_of(way->root);
    for (const int64_t choice : way->choices) {
        const int64_t offset = way->bytes_of(choice);
        places.push_back(object ? object.plus(offset) : object);
        to_.steps_.push_back({object, offset, places.back()});
    }
    return places;
}

void ConstraintVisitor::access(llvm::Instruction& instruction, llvm::Value& address, llvm::Type& type,
                               bool is_write) {
    const uint64_t bytes = to_.module_.getDataLayout().getTypeStoreSize(&type).getKnownMinValue();
    const llvm::SmallVector<Cell, 2> places = places_of(address);
    for (const Cell place : places) {
        to_.accesses_.push_back({&instruction, place, bytes, is_write, places.size() > 1});
    }
}

/// Of a length that is a value; 0 where it is not known.
void ConstraintVisitor::access_bytes(llvm::Instruction& instruction, llvm::Value& address, llvm::Value& bytes,
                                     bool is_write) {
    to_.accesses_.push_back({&instruction, to_.cell_of(&address), constant_of(bytes), is_write});
}

void ConstraintVisitor::visitAllocaInst(llvm::AllocaInst& instruction) {
    const Cell object = sets_.add_object(Trait::stack);
    sets_.unify(object, to_.cell_of(&instruction));
}

void ConstraintVisitor::visitLoadInst(llvm::LoadInst& instruction) {
    llvm::Value& address = *instruction.getPointerOperand();
    access(instruction, address, *instruction.getType(), false);
    for (const Cell place : places_of(address)) {
        to_.take_pointers_of(&instruction, place);
    }
}

void ConstraintVisitor::visitStoreInst(llvm::StoreInst& instruction) {
    llvm::Value& address = *instruction.getPointerOperand();
    access(instruction, address, *instruction.getValueOperand()->getType(), true);
    for (const Cell place : places_of(address)) {
        to_.take_pointers_of(instruction.getValueOperand(), place);
    }
}

void ConstraintVisitor::visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst& instruction) {
    llvm::Value& address = *instruction.getPointerOperand();
    access(instruction, address, *instruction.getNewValOperand()->getType(), true);
    to_.take_pointers_of(instruction.getNewValOperand(), to_.cell_of(&address));
    to_.take_pointers_of(instruction.getCompareOperand(), to_.cell_of(&address));
    // Beside what was there before, the result says whether it was exchanged.
    to_.take_parts(to_.cell_of(&instruction), to_.cell_of(&address),
                   to_.module_.getDataLayout().getTypeStoreSize(instruction.getNewValOperand()->getType()));
}

void ConstraintVisitor::visitAtomicRMWInst(llvm::AtomicRMWInst& instruction) {
    llvm::Value& address = *instruction.getPointerOperand();
    access(instruction, address, *instruction.getType(), true);
    to_.take_pointers_of(&instruction, to_.cell_of(&address));
    if (instruction.getOperation() == llvm::AtomicRMWInst::Xchg) {
        same(instruction, *instruction.getValOperand());
    } else {
        to_.numbers_.emplace_back(&instruction, &instruction);
        to_.numbers_.emplace_back(instruction.getValOperand(), &instruction);
    }
}

void ConstraintVisitor::visitGetElementPtrInst(llvm::GetElementPtrInst& instruction) {
    if (instruction.getType()->isVectorTy()) {
        calculate(instruction);
        return;
    }
    auto& address = llvm::cast<llvm::GEPOperator>(instruction);
    const Cell base = to_.cell_of(address.getPointerOperand());
    if (address.getSourceElementType()->isIntegerTy(8) && !address.hasAllConstantIndices()) {
        to_.byte_indices_.emplace_back(&instruction, address.idx_begin()->get());
    }
    if (to_.ways_.of_fields(instruction) == nullptr) {
        sets_.unify(to_.offset_by(address, base), to_.cell_of(&instruction));
    }
}

void ConstraintVisitor::visitPHINode(llvm::PHINode& instruction) {
    for (llvm::Value* value : instruction.incoming_values()) {
        same(instruction, *value);
    }
}

void ConstraintVisitor::visitSelectInst(llvm::SelectInst& instruction) {
    same(instruction, *instruction.getTrueValue());
    same(instruction, *instruction.getFalseValue());
}

void ConstraintVisitor::visitFreezeInst(llvm::FreezeInst& instruction) {
    same(instruction, *instruction.getOperand(0));
}

/// From pointers to numbers and back; a number that gets narrower or wider is calculated with.
void ConstraintVisitor::visitCastInst(llvm::CastInst& instruction) {
    switch (instruction.getOpcode()) {
        case llvm::Instruction::PtrToInt:
            if (instruction.getType()->getScalarSizeInBits() < 64) {
                calculate(instruction);
                break;
            }
            [[fallthrough]];
        case llvm::Instruction::IntToPtr:
        case llvm::Instruction::BitCast:
        case llvm::Instruction::AddrSpaceCast:
            // Of one kind on both sides: a pointer's width, or several parts.
            if (is_register(*instruction.getType()) == is_register(*instruction.getSrcTy())) {
                same(instruction, *instruction.getOperand(0));
            } else {
                calculate(instruction);
            }
            break;
        default:
            calculate(instruction);
    }
}

void ConstraintVisitor::visitBinaryOperator(llvm::BinaryOperator& instruction) {
    if (is_distance(instruction)) {
        to_.distances_.emplace_back(instruction.getOperand(0), instruction.getOperand(1));
        return;
    }
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    const bool adds = instruction.getOpcode() == llvm::Instruction::Add;
    if (constant != nullptr && constant->getBitWidth() == 64 && adds) {
        const Cell from = to_.cell_of(instruction.getOperand(0));
        const Cell result = from ? from.plus(constant->getSExtValue()) : from;
        sets_.unify(to_.cell_of(&instruction), result);
        to_.counts_.push_back(&instruction);
        if (from) {
            to_.steps_.push_back({from, constant->getSExtValue(), result});
        }
        return;
    }
    if (instruction.getOpcode() == llvm::Instruction::Sub) {
        to_.differences_.push_back(&instruction);
    }
    const bool clears = instruction.getOpcode() == llvm::Instruction::And;
    const bool sets =
        instruction.getOpcode() == llvm::Instruction::Or || instruction.getOpcode() == llvm::Instruction::Xor;
    take_tag(instruction, *instruction.getOperand(0),
             clears || sets ? tag_bits(*instruction.getOperand(1), clears) : 0, clears);
}

/// Where the lowest bits alone change it is the same object, unless more speaks against it than is known yet
/// (PointsTo::follow_tags).
void ConstraintVisitor::take_tag(llvm::Instruction& instruction, llvm::Value& address, uint64_t bits,
                                 bool clears) {
    if (bits == 0) {
        calculate(instruction);
        return;
    }
    const Cell from = to_.cell_of(&address);
    sets_.unify(to_.cell_of(&instruction), from);
    to_.counts_.push_back(&instruction);
    if (from) {
        to_.steps_.push_back({from, 0, from});
        to_.tags_.push_back({&instruction, &address, bits, clears});
    }
}

/// What goes into it is exposed, and what comes out of it may be anything that is. What is calculated with as
/// a number with a fraction is taken for no address, though adding zero to one would give it back: as such
/// addresses are moved only.
void ConstraintVisitor::calculate(llvm::Instruction& instruction) {
    const bool moves = may_move_lanes(instruction);
    if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(instruction)) {
        to_.counts_.push_back(&instruction);
    } else if (moves || !is_fraction(*instruction.getType())) {
        to_.calculations_.push_back(&instruction);
    }
    for (llvm::Use& operand : instruction.operands()) {
        const bool is_number = is_fraction(*operand->getType()) && !moves;
        if (!is_number && !llvm::isa<llvm::Function>(operand) && to_.cell_of(operand)) {
            to_.numbers_.emplace_back(operand, &instruction);
        }
    }
}

/// An element of a value, at so many bytes in it.
void ConstraintVisitor::part(llvm::Value& whole, llvm::Value& element, uint64_t offset) {
    const Cell cell = to_.cell_of(&whole);
    if (cell) {
        to_.take_pointers_of(&element, cell.plus(static_cast<int64_t>(offset)));
    }
}

void ConstraintVisitor::visitExtractElementInst(llvm::ExtractElementInst& instruction) {
    take_lane(instruction, *instruction.getVectorOperand(), instruction, *instruction.getIndexOperand());
}

void ConstraintVisitor::visitInsertElementInst(llvm::InsertElementInst& instruction) {
    same(instruction, *instruction.getOperand(0));
    take_lane(instruction, instruction, *instruction.getOperand(1), *instruction.getOperand(2));
}

/// Lanes that are no pointers wide, or of which nobody knows the number, are calculated with.
void ConstraintVisitor::take_lane(llvm::Instruction& instruction, llvm::Value& vector, llvm::Value& element,
                                  llvm::Value& index) {
    const uint64_t bits = to_.module_.getDataLayout().getTypeSizeInBits(element.getType()).getFixedValue();
    if (bits == 64 && llvm::isa<llvm::ConstantInt>(index)) {
        part(vector, element, constant_of(index) * (bits / 8));
    } else {
        calculate(instruction);
    }
}

void ConstraintVisitor::visitShuffleVectorInst(llvm::ShuffleVectorInst& instruction) {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getOperand(0)->getType());
    if (type == nullptr || type->getScalarSizeInBits() != 64) {
        const bool has_pointers = type != nullptr && type->getElementType()->isPointerTy();
        if (!has_pointers) {
            calculate(instruction);
            return;
        }
    }
    const Cell result = to_.cell_of(&instruction);
    const auto lanes = static_cast<int>(type->getNumElements());
    const llvm::ArrayRef<int> mask = instruction.getShuffleMask();
    for (size_t i = 0; i < mask.size(); ++i) {
        if (mask[i] >= 0) {
            const Cell from = to_.cell_of(instruction.getOperand(mask[i] < lanes ? 0 : 1));
            to_.take_parts(result.plus(static_cast<int64_t>(i) * 8), from.plus(mask[i] % lanes * 8), 8);
        }
    }
}

void ConstraintVisitor::visitExtractValueInst(llvm::ExtractValueInst& instruction) {
    llvm::Value& whole = *instruction.getAggregateOperand();
    part(whole, instruction,
         offset_in(to_.module_.getDataLayout(), *whole.getType(), instruction.getIndices()));
}

void ConstraintVisitor::visitInsertValueInst(llvm::InsertValueInst& instruction) {
    same(instruction, *instruction.getAggregateOperand());
    part(instruction, *instruction.getInsertedValueOperand(),
         offset_in(to_.module_.getDataLayout(), *instruction.getType(), instruction.getIndices()));
}

/// An address that is compared with numbers until one of them is the same is found again by none of its bits.
void ConstraintVisitor::visitICmpInst(llvm::ICmpInst& instruction) {
    const auto is_address = [](const llvm::Value& value) {
        return value.getType()->isPointerTy() || llvm::isa<llvm::PtrToIntInst>(value);
    };
    for (const unsigned i : {0U, 1U}) {
        llvm::Value& address = *instruction.getOperand(i);
        const llvm::Value& number = *instruction.getOperand(1 - i)->stripPointerCasts();
        const bool is_number = !is_address(number) || llvm::isa<llvm::IntToPtrInst>(number);
        if (instruction.isRelational() && is_address(address) && is_number &&
            !llvm::isa<llvm::Constant>(number)) {
            to_.numbers_.emplace_back(&address, &instruction);
        }
    }
}

void ConstraintVisitor::visitReturnInst(llvm::ReturnInst& instruction) {
    if (llvm::Value* value = instruction.getReturnValue()) {
        llvm::Function* function = instruction.getFunction();
        Cell& result = to_.results_[function];
        if (!result) {
            result = sets_.add();
        }
        sets_.unify(result, to_.cell_of(value));
        if (may_have_unseen_callers(*function)) {
            to_.escape(value, Rule::returned_to_other_code, &instruction);
        }
    }
}

void ConstraintVisitor::visitInstruction(llvm::Instruction& instruction) {
    switch (instruction.getOpcode()) {
        default:
            for (llvm::Use& operand : instruction.operands()) {
                to_.escape(operand, Rule::used_by_unknown_instruction, &instruction);
            }
            to_.escape(&instruction, Rule::comes_from_unknown_instruction, &instruction);
    }
}

}  // namespace malloom::compiler
