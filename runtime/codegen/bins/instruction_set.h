// What bin functions are made of, and the instruction sets that they can be written in. Each can be written
// on any machine, and a program has those in it that it names.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/codegen/bins/bin_ranges.h"
#include "runtime/codegen/bins/code_writer.h"

namespace malloom::codegen::bins {

/// Compares the size, or a copy of it that is shifted right, with a constant; jumps if it is below, or if it
/// is not, and else goes on with what was written last.
struct Comparison {
    uint32_t constant;
    size_t target;       ///< what had been written when its target was
    uint8_t copy_shift;  ///< of the copy that is compared; 0: the size itself is
    bool makes_copy;     ///< first
    bool jumps_if_below;
};

/// The bin is (size + offset) >> shift, or where it descends (offset - size) >> shift. No sum or difference,
/// with the bin in its place, leaves 31 bits.
struct Run {
    uint32_t offset;  ///< modulo 2^32
    uint8_t shift;
    uint8_t copy_shift;  ///< of the copy of the size that is there; 0: none is
    bool is_descending;
};

/// Each function writes before what is written so far.
struct InstructionSet {
    void (*compare)(CodeWriter& code, const Comparison& comparison);
    void (*return_constant)(CodeWriter& code, unsigned value);
    void (*return_run)(CodeWriter& code, const Run& run);
    /// Of a comparison with the constant: time first, then bytes.
    unsigned (*cost_of_comparing)(uint32_t constant);
    /// Of making a copy, in the same unit.
    uint8_t cost_of_copying;
    /// Copies should be so short that this many bits remain.
    uint8_t copy_bits;
    /// How often of eight times a comparison should go on: more than half where jumping takes longer.
    uint8_t eighths_going_on;
    /// The instruction at which checked indirect calls may arrive.
    uint32_t landing_pad;
};

namespace instruction_sets {
extern const InstructionSet aarch64;
extern const InstructionSet riscv;  ///< RV32I and RV64I: the same code does for both
extern const InstructionSet thumb2;
extern const InstructionSet x86_64;  ///< as System V calls
}  // namespace instruction_sets

/// Of the machine that this is compiled for, whose generated code it can call; null where there is none.
inline const InstructionSet* own_instruction_set() {
#if defined(__x86_64__)
    return &instruction_sets::x86_64;
#elif defined(__aarch64__)
    return &instruction_sets::aarch64;
#elif defined(__riscv)
    return &instruction_sets::riscv;
#elif defined(__thumb2__)
    return &instruction_sets::thumb2;
#else
    return nullptr;
#endif
}

/// Code of the own instruction set that begins there.
inline BinFunction function_at(const unsigned char* code) {
#if defined(__thumb2__)
    const uintptr_t thumb_state = 1;
#else
    const uintptr_t thumb_state = 0;
#endif
    return reinterpret_cast<BinFunction>(reinterpret_cast<uintptr_t>(code) | thumb_state);
}

}  // namespace malloom::codegen::bins
