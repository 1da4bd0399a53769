#include "runtime/codegen/punned_jump.h"

namespace malloom::codegen {

namespace {

constexpr unsigned char jump_opcode = 0xe9;
constexpr unsigned distance_bytes = 4;
// The segment override es, which means nothing in 64-bit code.
constexpr unsigned char prefix = 0x26;

}  // namespace

PunnedJump::PunnedJump(uintptr_t address, unsigned length, unsigned prefixes, const unsigned char* code)
    : address_(address), length_(length), prefixes_(prefixes) {
    const unsigned before = prefixes + 1;
    const unsigned room = length - before;
    const unsigned free = room < distance_bytes ? room : distance_bytes;
    uint32_t fixed = 0;
    for (unsigned i = free; i < distance_bytes; ++i) {
        fixed |= static_cast<uint32_t>(code[before + i]) << (8 * i);
    }
    const uintptr_t next = address + before + distance_bytes;
    const uint64_t choices = uint64_t{1} << (8 * free);
    const int64_t least = free == distance_bytes ? INT32_MIN : static_cast<int32_t>(fixed);
    lowest_ = next + static_cast<uintptr_t>(least);
    highest_ = lowest_ + choices - 1;
    // Around address 0 there is nothing, but for the highest addresses.
    if (highest_ < lowest_) {
        lowest_ = 0;
    }
}

unsigned PunnedJump::write(uintptr_t target, unsigned char* instruction) const {
    const uintptr_t next = address_ + prefixes_ + 1 + distance_bytes;
    const auto distance = static_cast<uint32_t>(target - next);
    unsigned size = 0;
    while (size < prefixes_) {
        instruction[size++] = prefix;
    }
    instruction[size++] = jump_opcode;
    for (unsigned i = 0; i < distance_bytes && size < length_; ++i) {
        instruction[size++] = static_cast<unsigned char>(distance >> (8 * i));
    }
    return size;
}

}  // namespace malloom::codegen
