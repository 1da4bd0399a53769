#include "runtime/codegen/machine_code.h"

#include <string.h>

namespace malloom::codegen {

namespace {

constexpr unsigned no_escape = 0;
constexpr unsigned two_byte = 0x0f;

unsigned scale_bits(uint8_t scale) {
    return static_cast<unsigned>(__builtin_ctz(scale));
}

unsigned high_bit(uint8_t reg) {
    return reg == no_register ? 0 : reg >> 3;
}

}  // namespace

void MachineCode::byte(unsigned value) {
    if (size_ < capacity) {
        bytes_[size_++] = static_cast<unsigned char>(value);
    }
}

void MachineCode::half(int32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        byte(static_cast<uint32_t>(value) >> shift & 0xff);
    }
}

// Always with a SIB byte and 32 bits of displacement: one form for all addresses.
void MachineCode::memory(bool is_wide, unsigned escape, unsigned opcode, uint8_t reg,
                         const Address& address) {
    const unsigned rex =
        (is_wide ? 8U : 0U) | high_bit(reg) << 2 | high_bit(address.index) << 1 | high_bit(address.base);
    if (rex != 0) {
        byte(0x40 | rex);
    }
    if (escape != no_escape) {
        byte(escape);
    }
    byte(opcode);
    const bool has_base = address.base != no_register;
    const unsigned index = address.index == no_register ? 4 : address.index & 7U;
    byte((has_base ? 0x80U : 0U) | (reg & 7U) << 3 | 4);
    byte(scale_bits(address.scale) << 6 | index << 3 | (has_base ? address.base & 7U : 5U));
    half(static_cast<int32_t>(address.displacement));
}

void MachineCode::prefetch(const Address& address, bool is_used_once) {
    memory(false, two_byte, 0x18, is_used_once ? 0 : 1, address);
}

void MachineCode::load_address_half(uint8_t result, const Address& address) {
    memory(false, no_escape, 0x8d, result, address);
}

void MachineCode::load_8_bytes(uint8_t result, const Address& address) {
    memory(true, no_escape, 0x8b, result, address);
}

void MachineCode::load_4_bytes(uint8_t result, const Address& address) {
    memory(true, no_escape, 0x63, result, address);
}

void MachineCode::immediate(unsigned operation, uint8_t reg, int32_t value) {
    if (reg >= 8) {
        byte(0x41);
    }
    byte(0x81);
    byte(0xc0 | operation << 3 | (reg & 7U));
    half(value);
}

void MachineCode::and_half(uint8_t result, int32_t value) {
    immediate(4, result, value);
}

void MachineCode::compare_half(uint8_t left, int32_t right) {
    immediate(7, left, right);
}

size_t MachineCode::short_jump(unsigned opcode) {
    byte(opcode);
    byte(0);
    return size_;
}

size_t MachineCode::jump_if_above() {
    return short_jump(0x77);
}

size_t MachineCode::jump_if_below() {
    return short_jump(0x72);
}

void MachineCode::land(size_t jump) {
    bytes_[jump - 1] = static_cast<unsigned char>(size_ - jump);
}

void MachineCode::move_stack_pointer(int32_t bytes) {
    memory(true, no_escape, 0x8d, stack_pointer, {stack_pointer, no_register, 1, bytes});
}

void MachineCode::push(uint8_t source) {
    if (source >= 8) {
        byte(0x41);
    }
    byte(0x50 | (source & 7U));
}

void MachineCode::pop(uint8_t result) {
    if (result >= 8) {
        byte(0x41);
    }
    byte(0x58 | (result & 7U));
}

void MachineCode::copy(const unsigned char* code, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        byte(code[i]);
    }
}

void MachineCode::jump(uintptr_t at, uintptr_t target) {
    byte(0xe9);
    distance(at, target);
}

void MachineCode::jump_on(uint8_t condition, uintptr_t at, uintptr_t target) {
    byte(two_byte);
    byte(0x80U | condition);
    distance(at, target);
}

void MachineCode::distance(uintptr_t at, uintptr_t target) {
    const auto bytes = static_cast<intptr_t>(target - (at + size_ + sizeof(int32_t)));
    reaches_ = reaches_ && bytes == static_cast<int32_t>(bytes);
    half(static_cast<int32_t>(bytes));
}

}  // namespace malloom::codegen
