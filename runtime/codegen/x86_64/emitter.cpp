#include "runtime/codegen/x86_64/emitter.h"

#include <string.h>

namespace malloom::codegen::x86_64 {

namespace {

ZydisRegister whole(uint8_t reg) {
    return reg == no_register ? ZYDIS_REGISTER_NONE : static_cast<ZydisRegister>(ZYDIS_REGISTER_RAX + reg);
}

ZydisRegister half(uint8_t reg) {
    return static_cast<ZydisRegister>(ZYDIS_REGISTER_EAX + reg);
}

// As their opcodes number them.
constexpr ZydisMnemonic conditional_jumps[] = {
    ZYDIS_MNEMONIC_JO, ZYDIS_MNEMONIC_JNO, ZYDIS_MNEMONIC_JB,  ZYDIS_MNEMONIC_JNB,
    ZYDIS_MNEMONIC_JZ, ZYDIS_MNEMONIC_JNZ, ZYDIS_MNEMONIC_JBE, ZYDIS_MNEMONIC_JNBE,
    ZYDIS_MNEMONIC_JS, ZYDIS_MNEMONIC_JNS, ZYDIS_MNEMONIC_JP,  ZYDIS_MNEMONIC_JNP,
    ZYDIS_MNEMONIC_JL, ZYDIS_MNEMONIC_JNL, ZYDIS_MNEMONIC_JLE, ZYDIS_MNEMONIC_JNLE};

/// What Zydis is asked for.
struct Request : ZydisEncoderRequest {
    explicit Request(ZydisMnemonic wanted) : ZydisEncoderRequest{} {
        machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
        mnemonic = wanted;
    }

    Request& with(ZydisRegister reg) {
        next(ZYDIS_OPERAND_TYPE_REGISTER).reg.value = reg;
        return *this;
    }

    Request& with(int64_t value) {
        next(ZYDIS_OPERAND_TYPE_IMMEDIATE).imm.s = value;
        return *this;
    }

    Request& with(const Address& address, uint16_t bytes) {
        auto& memory = next(ZYDIS_OPERAND_TYPE_MEMORY).mem;
        memory.base = whole(address.base);
        memory.index = whole(address.index);
        memory.scale = address.index == no_register ? 0 : address.scale;
        memory.displacement = address.displacement;
        memory.size = bytes;
        return *this;
    }

  private:
    ZydisEncoderOperand& next(ZydisOperandType type) {
        ZydisEncoderOperand& operand = operands[operand_count++];
        operand.type = type;
        return operand;
    }
};

Request jump_request(ZydisMnemonic mnemonic, ZydisBranchType type, ZydisBranchWidth width, uintptr_t target) {
    Request request(mnemonic);
    request.branch_type = type;
    request.branch_width = width;
    return request.with(static_cast<int64_t>(target));
}

Request near_jump(ZydisMnemonic mnemonic, uintptr_t target) {
    return jump_request(mnemonic, ZYDIS_BRANCH_TYPE_NEAR, ZYDIS_BRANCH_WIDTH_32, target);
}

Request short_jump(ZydisMnemonic mnemonic, uintptr_t target) {
    return jump_request(mnemonic, ZYDIS_BRANCH_TYPE_SHORT, ZYDIS_BRANCH_WIDTH_8, target);
}

}  // namespace

size_t Emitter::encode_at(size_t offset, const ZydisEncoderRequest& request) {
    const size_t size = is_whole_ ? zydis_.encode(request, room_.subspan(offset), address_ + offset) : 0;
    is_whole_ = size != 0;
    return size;
}

void Emitter::emit(const ZydisEncoderRequest& request) {
    size_ += encode_at(size_, request);
}

void Emitter::prefetch(const Address& address, bool is_used_once) {
    emit(Request(is_used_once ? ZYDIS_MNEMONIC_PREFETCHNTA : ZYDIS_MNEMONIC_PREFETCHT0).with(address, 1));
}

void Emitter::load_address_half(uint8_t result, const Address& address) {
    emit(Request(ZYDIS_MNEMONIC_LEA).with(half(result)).with(address, 8));
}

void Emitter::load_8_bytes(uint8_t result, const Address& address) {
    emit(Request(ZYDIS_MNEMONIC_MOV).with(whole(result)).with(address, 8));
}

void Emitter::load_4_bytes(uint8_t result, const Address& address) {
    emit(Request(ZYDIS_MNEMONIC_MOVSXD).with(whole(result)).with(address, 4));
}

void Emitter::and_half(uint8_t result, int32_t value) {
    emit(Request(ZYDIS_MNEMONIC_AND).with(half(result)).with(value));
}

void Emitter::compare_half(uint8_t left, int32_t right) {
    emit(Request(ZYDIS_MNEMONIC_CMP).with(half(left)).with(right));
}

void Emitter::move_stack_pointer(int32_t bytes) {
    const Address moved = {stack_pointer, no_register, 1, bytes};
    emit(Request(ZYDIS_MNEMONIC_LEA).with(whole(stack_pointer)).with(moved, 8));
}

void Emitter::push(uint8_t source) {
    emit(Request(ZYDIS_MNEMONIC_PUSH).with(whole(source)));
}

void Emitter::pop(uint8_t result) {
    emit(Request(ZYDIS_MNEMONIC_POP).with(whole(result)));
}

void Emitter::push_flags() {
    emit(Request(ZYDIS_MNEMONIC_PUSHFQ));
}

void Emitter::pop_flags() {
    emit(Request(ZYDIS_MNEMONIC_POPFQ));
}

void Emitter::jump(uintptr_t target) {
    emit(near_jump(ZYDIS_MNEMONIC_JMP, target));
}

void Emitter::jump_if(uint8_t condition, uintptr_t target) {
    emit(near_jump(conditional_jumps[condition], target));
}

Emitter::ForwardJump Emitter::jump_forward_if(uint8_t condition) {
    const ForwardJump jump = {size_, condition};
    emit(short_jump(conditional_jumps[condition], here()));
    return jump;
}

void Emitter::land(const ForwardJump& jump) {
    encode_at(jump.start, short_jump(conditional_jumps[jump.condition], here()));
}

void Emitter::copy(std::span<const unsigned char> code) {
    is_whole_ = is_whole_ && code.size() <= room_.size() - size_;
    if (is_whole_) {
        memcpy(room_.data() + size_, code.data(), code.size());
        size_ += code.size();
    }
}

}  // namespace malloom::codegen::x86_64
