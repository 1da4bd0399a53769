// Thumb-2 of ARMv7-M. Sizes come in r0, which bins go out in; r1 has the size shifted, and constants are made
// in r2.
#include "runtime/codegen/bins/bits.h"
#include "runtime/codegen/bins/instruction_set.h"
#include "runtime/codegen/bins/run_steps.h"

namespace malloom::codegen::bins {
namespace {

constexpr uint32_t copy_register = 1, constant_register = 2;

// Instructions of two bytes, of r0 where nothing else is said.
constexpr uint32_t move_byte = 0x2000, add_byte = 0x3000, subtract_byte = 0x3800;
constexpr uint32_t compare_byte = 0x2800, compare_constant_register = 0x4280 | constant_register << 3;
constexpr uint32_t add_constant_register = 0x1800 | constant_register << 6;
constexpr uint32_t subtract_constant_register = 0x1a00 | constant_register << 6;
constexpr uint32_t subtract_from_constant_register = 0x1a00 | constant_register << 3;
constexpr uint32_t shift_right = 0x0800;
constexpr uint32_t branch = 0xd000, return_to_caller = 0x4770;
// Of four: the half that comes first is the lower one here.
constexpr uint32_t compare_wide = 0x0f00f1b0, branch_wide = 0x8000f000;
constexpr uint32_t move_wide = 0xf240, move_top = 0xf2c0, add_wide = 0xf200, subtract_wide = 0xf2a0;
constexpr uint32_t landing_pad = 0x800ff3af;

constexpr uint32_t if_not_below = 2, if_below = 3;

void put_wide(CodeWriter& code, uint32_t instruction) {
    code.put_2(instruction >> 16);
    code.put_2(instruction);
}

/// The fields of a 12-bit immediate.
uint32_t immediate(uint32_t value) {
    return (value & 0x800) >> 1 | (value & 0x700) << 20 | (value & 0xff) << 16;
}

void put_half(CodeWriter& code, uint32_t operation, uint32_t result, uint32_t value) {
    put_wide(code, operation | value >> 12 | immediate(value) | result << 24);
}

void put_constant(CodeWriter& code, uint32_t result, uint32_t value) {
    if (value < 0x100) {
        code.put_2(move_byte | result << 8 | value);
        return;
    }
    if (value >> 16 != 0) {
        put_half(code, move_top, result, value >> 16);
    }
    put_half(code, move_wide, result, value & 0xffff);
}

/// Eight neighbouring bits and zeros on both sides.
bool is_rotated_byte(uint32_t value) {
    const unsigned width = bit_width(value);
    return width <= 8 || (value & ((uint32_t{1} << (width - 8)) - 1)) == 0;
}

/// Of one that has more than eight bits.
uint32_t rotated_byte(uint32_t value) {
    const unsigned zeros = bit_width(value) - 8;
    return (32 - zeros) << 7 | (value >> zeros & 0x7f);
}

void put_jump(CodeWriter& code, uint32_t condition, size_t target) {
    // From what would be the second instruction after it, each of two bytes.
    const auto distance = static_cast<uint32_t>(code.written() - target);
    if (distance - 2 < 0x100) {
        code.put_2(branch | condition << 8 | (distance - 2) >> 1);
    } else {
        put_wide(code,
                 branch_wide | condition << 6 | (distance >> 12 & 0x3f) | (distance >> 1 & 0x7ff) << 16);
    }
}

void compare(CodeWriter& code, const Comparison& comparison) {
    const uint32_t constant = comparison.constant;
    const uint32_t compared = comparison.copy_shift == 0 ? 0 : copy_register;
    put_jump(code, comparison.jumps_if_below ? if_below : if_not_below, comparison.target);
    if (constant < 0x100) {
        code.put_2(compare_byte | compared << 8 | constant);
    } else if (is_rotated_byte(constant)) {
        put_wide(code, compare_wide | compared | immediate(rotated_byte(constant)));
    } else {
        code.put_2(compare_constant_register | compared);
        put_constant(code, constant_register, constant);
    }
    if (comparison.makes_copy) {
        code.put_2(shift_right | comparison.copy_shift << 6 | copy_register);
    }
}

void return_constant(CodeWriter& code, unsigned value) {
    code.put_2(return_to_caller);
    put_constant(code, 0, value);
}

uint32_t magnitude(uint32_t value) {
    return value >> 31 == 0 ? value : 0 - value;
}

/// In pairs of bytes.
unsigned cost_of_adding(uint32_t value) {
    const uint32_t size = magnitude(value);
    return size == 0 ? 0 : size < 0x100 ? 1 : size < 0x1000 ? 2 : size < 0x10000 ? 3 : 5;
}

void put_addition(CodeWriter& code, uint32_t value) {
    const uint32_t size = magnitude(value);
    const bool is_negative = size != value;
    if (size >= 0x1000) {
        code.put_2(is_negative ? subtract_constant_register : add_constant_register);
        put_constant(code, constant_register, size);
    } else if (size >= 0x100) {
        put_wide(code, (is_negative ? subtract_wide : add_wide) | immediate(size));
    } else if (size != 0) {
        code.put_2((is_negative ? subtract_byte : add_byte) | size);
    }
}

void put_shift(CodeWriter& code, uint32_t shift) {
    if (shift != 0) {
        code.put_2(shift_right | shift << 6);
    }
}

void put_ascending(CodeWriter& code, const Run& run) {
    const AscendingSteps steps = ascending_steps(run, cost_of_adding);
    put_addition(code, steps.after);
    put_shift(code, run.shift);
    put_addition(code, steps.before);
}

void put_descending(CodeWriter& code, const Run& run) {
    const uint32_t before = descends_after_shift(run) ? run.shift : 0;
    put_shift(code, run.shift - before);
    code.put_2(subtract_from_constant_register);
    put_constant(code, constant_register, run.offset >> before);
    put_shift(code, before);
}

void return_run(CodeWriter& code, const Run& run) {
    code.put_2(return_to_caller);
    (run.is_descending ? put_descending : put_ascending)(code, run);
}

/// Cycles first, then pairs of bytes.
unsigned cost_of_comparing(uint32_t constant) {
    return constant < 0x100 ? 5 : is_rotated_byte(constant) ? 6 : constant < 0x10000 ? 11 : 17;
}

}  // namespace

const InstructionSet instruction_sets::thumb2 = {
    compare, return_constant, return_run, cost_of_comparing, 5, 8, 5, landing_pad};

}  // namespace malloom::codegen::bins
