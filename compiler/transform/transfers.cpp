#include "compiler/transform/transfers.h"

#include <llvm/IR/Function.h>

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

/// Of the length of whole structures, which is a multiple of theirs.
llvm::Value* bytes_in_part(llvm::IRBuilder<>& code, llvm::Value& length, const SplitObjects& objects,
                           unsigned part) {
    llvm::Value* bytes = code.CreateZExtOrTrunc(&length, code.getInt64Ty());
    llvm::Value* structures = code.CreateExactUDiv(bytes, code.getInt64(objects.structure_bytes()));
    return code.CreateMul(structures, code.getInt64(objects.element_bytes(part)));
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
            llvm::Align(layout->alignment_of(to))};
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

void rewrite_transfer_of_structures(llvm::MemTransferInst& instruction, const SplitObjects& objects) {
    llvm::IRBuilder<> code(&instruction);
    for (unsigned part = 0; part < objects.parts(); ++part) {
        const Place place = {part, 0};
        const llvm::Align alignment(objects.alignment_of(place));
        llvm::Value* to = move(code, objects, instruction.getDest(), Place{0, 0}, place);
        llvm::Value* from = move(code, objects, instruction.getSource(), Place{0, 0}, place);
        code.CreateMemMove(to, alignment, from, alignment,
                           bytes_in_part(code, *instruction.getLength(), objects, part),
                           instruction.isVolatile());
    }
    instruction.eraseFromParent();
}

void rewrite_fill_of_structures(llvm::MemSetInst& instruction, const SplitObjects& objects) {
    llvm::IRBuilder<> code(&instruction);
    for (unsigned part = 0; part < objects.parts(); ++part) {
        const Place place = {part, 0};
        code.CreateMemSet(move(code, objects, instruction.getDest(), Place{0, 0}, place),
                          instruction.getValue(),
                          bytes_in_part(code, *instruction.getLength(), objects, part),
                          llvm::Align(objects.alignment_of(place)), instruction.isVolatile());
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
