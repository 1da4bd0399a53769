// Instructions of x86-64: what all of this folder says of them, and what patching wants to know of one.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace malloom::codegen::x86_64 {

/// Registers are in hardware numbering, rax 0 to r15 15; this one is none (as in formats/plan.def).
constexpr uint8_t no_register = 16;
constexpr uint8_t stack_pointer = 4;

/// Conditions of jumps are numbered as opcodes have them, 0 to 15; this one is none.
constexpr uint8_t no_condition = 16;

/// The longest instruction there is, in bytes.
constexpr unsigned longest_instruction = 15;

/// Carry, parity, adjust, zero, sign, overflow.
constexpr uint32_t status_flags = 1U << 0 | 1U << 2 | 1U << 4 | 1U << 6 | 1U << 7 | 1U << 11;

/// base + index * scale + displacement.
struct Address {
    uint8_t base = no_register;
    uint8_t index = no_register;
    uint8_t scale = 1;
    int64_t displacement = 0;
};

struct Instruction {
    uint8_t length = 0;    ///< bytes
    bool is_load = false;  ///< reads memory at `operand`, goes on to the next one, means the same elsewhere
    bool goes_on = false;  ///< never goes anywhere but to the next one
    Address operand;       ///< of a load
    uint8_t result = no_register;  ///< a register that it writes whole and does not read
    uint32_t flags_read = 0;       ///< of the status flags, in the bits of the flags register
    bool is_relative = false;      ///< what it means depends on where it stands
    bool leaves = false;           ///< goes elsewhere, always, and leaves nothing behind that says from where
    uint8_t condition = no_condition;  ///< of a conditional jump
    int32_t jump_distance = 0;         ///< of a conditional jump, from its end
    uint32_t flags_written = 0;        ///< always written, or left undefined
};

class Zydis;

/// All about the instruction at `code`, of which `bytes` can be read; `length` is 0 where there is none.
Instruction decode(const Zydis& zydis, const unsigned char* code, size_t bytes);

}  // namespace malloom::codegen::x86_64
