// A jump in the room of any instruction, by instruction punning (E9Patch: Duck, Gao and Roychoudhury, PLDI
// 2020, tactics B1, B2 and T1).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <span>

#include "runtime/codegen/x86_64/zydis.h"

namespace malloom::codegen::x86_64 {

/// A jump of 5 bytes that begins in an instruction of `length` bytes; where that is shorter, the bytes that
/// follow it are the jump's last ones as well and stay what they are, so that whoever jumps to them finds the
/// program's own instruction. They then fix the high bytes of the distance. Prefixes without effect move the
/// jump back, which makes others of its bytes fixed ones.
class PunnedJump {
  public:
    static constexpr unsigned jump_bytes = 5;
    /// With the prefixes that an instruction of 4 bytes has room for.
    static constexpr unsigned most_bytes = 3 + jump_bytes;

    /// `code`: the instruction and the 5 bytes after it. `prefixes` is less than `length`, and 0 where that
    /// has room for the jump.
    PunnedJump(uintptr_t address, unsigned length, unsigned prefixes, const unsigned char* code);

    /// The targets that it can have.
    uintptr_t lowest() const { return lowest_; }
    uintptr_t highest() const { return highest_; }

    /// Writes the jump to a target that it can have; returns how many of its bytes belong over the
    /// instruction, at most `length`, and 0 for another target. The others stand behind the instruction
    /// already.
    unsigned write(const Zydis& zydis, uintptr_t target, std::span<unsigned char, most_bytes> bytes) const;

  private:
    uintptr_t address_;
    unsigned length_;
    unsigned prefixes_;
    uintptr_t lowest_;
    uintptr_t highest_;
};

}  // namespace malloom::codegen::x86_64
