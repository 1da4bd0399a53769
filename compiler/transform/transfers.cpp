#include "compiler/transform/transfers.h"

#include <llvm/IR/Function.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace malloom::compiler {

namespace {

/// Bytes of an access, from so many behind its beginning on, that lie together on both sides.
struct Piece {
    uint64_t begin, bytes;
};

/// How many bytes from the offset on lie together; those of no field are left out, with none.
uint64_t together(const Side& side, uint64_t at, uint64_t most) {
    if (side.layout == nullptr) {
        return most;
    }
    const Field* field = side.layout->field_at(side.offset + at);
    return field != nullptr ? std::min(most, field->end() - side.offset - at) : 0;
}

std::vector<Piece> pieces_of(const Side& one, const Side& other, uint64_t bytes) {
    std::vector<Piece> found;
    for (uint64_t at = 0; at < bytes;) {
        const uint64_t length = std::min(together(one, at, bytes - at), together(other, at, bytes - at));
        if (length != 0) {
            found.push_back({at, length});
        }
        at += std::max<uint64_t>(length, 1);
    }
    return found;
}

/// So many bytes from a place of the first structure on, and so many bytes further, as the instruction does
/// with all.
void access_part(llvm::IRBuilder<>& code, llvm::MemIntrinsic& instruction, const SplitObjects& objects,
                 Place place, llvm::Value* behind, llvm::Value* bytes) {
    const llvm::Align alignment(objects.alignment_of(place));
    const auto find = [&](llvm::Value* first) {
        return further(code, move(code, objects, first, Place{0, 0}, place), behind);
    };
    llvm::Value* to = find(instruction.getDest());
    if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
        code.CreateMemSet(to, fill->getValue(), bytes, alignment, instruction.isVolatile());
    } else {
        llvm::Value* from = find(llvm::cast<llvm::MemTransferInst>(instruction).getSource());
        code.CreateMemMove(to, alignment, from, alignment, bytes, instruction.isVolatile());
    }
}

}  // namespace

Side Side::plus(llvm::IRBuilder<>& code, uint64_t bytes) const {
    if (layout == nullptr) {
        llvm::Value* at =
            bytes == 0 ? address : code.CreateInBoundsGEP(code.getInt8Ty(), address, code.getInt64(bytes));
        return {at, nullptr, 0, llvm::commonAlignment(alignment, bytes)};
    }
    const Place from = layout->place_of_pointer(static_cast<int64_t>(offset)),
                to = layout->place_of(offset + bytes);
    return {move(code, *layout, address, from, to), layout, offset + bytes,
            llvm::Align(std::min(layout->alignment_of(to), most_aligned)), most_aligned};
}

void rewrite_transfer(llvm::MemTransferInst& instruction, const Side& to, const Side& from, uint64_t bytes) {
    llvm::IRBuilder<> code(&instruction);
    for (const Piece& piece : pieces_of(to, from, bytes)) {
        const Side target = to.plus(code, piece.begin), source = from.plus(code, piece.begin);
        // An object may be copied to itself, but never to another part of it.
        code.CreateMemMove(target.address, target.alignment, source.address, source.alignment, piece.bytes,
                           instruction.isVolatile());
    }
    instruction.eraseFromParent();
}

void rewrite_fill(llvm::MemSetInst& instruction, const Side& to, uint64_t bytes) {
    llvm::IRBuilder<> code(&instruction);
    for (const Piece& piece : pieces_of(to, {}, bytes)) {
        const Side target = to.plus(code, piece.begin);
        code.CreateMemSet(target.address, instruction.getValue(), piece.bytes, target.alignment,
                          instruction.isVolatile());
    }
    instruction.eraseFromParent();
}

void rewrite_of_structures(llvm::MemIntrinsic& instruction, const SplitObjects& objects, bool has_rest) {
    llvm::IRBuilder<> code(&instruction);
    llvm::Value* length = code.CreateZExtOrTrunc(instruction.getLength(), code.getInt64Ty());
    llvm::Value* structures =
        code.CreateUDiv(length, code.getInt64(objects.structure_bytes()), "", !has_rest);
    for (unsigned part = 0; part < objects.parts(); ++part) {
        llvm::Value* bytes = code.CreateMul(structures, code.getInt64(objects.element_bytes(part)));
        access_part(code, instruction, objects, {part, 0}, code.getInt64(0), bytes);
    }
    if (has_rest) {
        llvm::Value* rest = code.CreateURem(length, code.getInt64(objects.structure_bytes()));
        code.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(code.CreateIsNotNull(rest), &instruction, false));
        for (const Field& field : objects.fields()) {
            const Place place = objects.place_of(field.offset);
            llvm::Value* behind =
                code.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, rest, code.getInt64(field.offset));
            access_part(
                code, instruction, objects, place,
                code.CreateMul(structures, code.getInt64(objects.element_bytes(place.part))),
                code.CreateBinaryIntrinsic(llvm::Intrinsic::umin, behind, code.getInt64(field.bytes)));
        }
    }
    instruction.eraseFromParent();
}

void rewrite_divided(llvm::Instruction& instruction, const Side& object, uint64_t bytes) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    llvm::Type* type = store != nullptr ? store->getValueOperand()->getType() : instruction.getType();
    llvm::BasicBlock& entry = instruction.getFunction()->getEntryBlock();
    llvm::IRBuilder<> beginning(&entry, entry.getFirstInsertionPt());
    llvm::AllocaInst* whole = beginning.CreateAlloca(type);
    llvm::IRBuilder<> code(&instruction);
    if (store != nullptr) {
        code.SetInsertPoint(instruction.getNextNode());
        store->setOperand(1, whole);
        store->setAlignment(whole->getAlign());
    } else {
        load->setOperand(0, whole);
        load->setAlignment(whole->getAlign());
    }
    instruction.setMetadata(llvm::LLVMContext::MD_tbaa, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
    const Side memory = {whole, nullptr, 0, whole->getAlign()};
    for (const Piece& piece : pieces_of(object, memory, bytes)) {
        const Side field = object.plus(code, piece.begin), copy = memory.plus(code, piece.begin);
        const Side &to = store != nullptr ? field : copy, &from = store != nullptr ? copy : field;
        code.CreateMemCpy(to.address, to.alignment, from.address, from.alignment, piece.bytes);
    }
}

}  // namespace malloom::compiler
