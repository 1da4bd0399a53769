#include "runtime/codegen/x86_64/punned_jump.h"

#include <algorithm>

#include "runtime/codegen/x86_64/emitter.h"

namespace malloom::codegen::x86_64 {

namespace {

constexpr unsigned distance_bytes = 4;
// The segment override es, which means nothing in 64-bit code: that is why Zydis encodes none for a jump.
constexpr unsigned char prefix[] = {0x26};

}  // namespace

// By hand, as no encoder says which distances end in bytes that are given.
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

unsigned PunnedJump::write(const Zydis& zydis, uintptr_t target,
                           std::span<unsigned char, most_bytes> bytes) const {
    if (target < lowest_ || target > highest_) {
        return 0;
    }
    Emitter code(zydis, bytes, address_);
    for (unsigned i = 0; i < prefixes_; ++i) {
        code.copy(prefix);
    }
    code.jump(target);
    return code.is_whole() ? std::min(length_, prefixes_ + jump_bytes) : 0;
}

}  // namespace malloom::codegen::x86_64
