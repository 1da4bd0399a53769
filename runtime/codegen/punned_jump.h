// A jump in the room of any instruction, by instruction punning (E9Patch: Duck, Gao and Roychoudhury, PLDI
// 2020, tactics B1, B2 and T1).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::codegen {

/// A jump of 5 bytes that begins in an instruction of `length` bytes; where that is shorter, the bytes that
/// follow it are the jump's last ones as well and stay what they are, so that whoever jumps to them finds the
/// program's own instruction. They then fix the high bytes of the distance. Prefixes without effect move the
/// jump back, which makes others of its bytes fixed ones.
class PunnedJump {
  public:
    /// `code`: the instruction and the 5 bytes after it. `prefixes` is less than `length`.
    PunnedJump(uintptr_t address, unsigned length, unsigned prefixes, const unsigned char* code);

    /// The targets that it can have.
    uintptr_t lowest() const { return lowest_; }
    uintptr_t highest() const { return highest_; }

    /// Writes the jump to a target that it can have over the instruction; returns how many bytes it took, at
    /// most `length`.
    unsigned write(uintptr_t target, unsigned char* instruction) const;

  private:
    uintptr_t address_;
    unsigned length_;
    unsigned prefixes_;
    uintptr_t lowest_;
    uintptr_t highest_;
};

}  // namespace malloom::codegen
