// RV32I and RV64I, without compressed instructions. Sizes come in a0, which bins go out in; constants are
// made in t0, and t1 has the size shifted.
#include "runtime/codegen/bins/instruction_set.h"
#include "runtime/codegen/bins/run_steps.h"

namespace malloom::codegen::bins {
namespace {

constexpr uint32_t zero = 0, constant_register = 5, copy_register = 6, size_register = 10;

// Operation codes with the fields that tell operations apart.
constexpr uint32_t add_immediate = 0x13, shift_left = 0x1013, shift_right = 0x5013, load_upper = 0x37;
constexpr uint32_t add = 0x33, subtract = 0x40000033;
constexpr uint32_t branch = 0x63, if_equal = 0, if_less = 6 << 12, opposite = 1 << 12;
constexpr uint32_t jump = 0x6f, return_to_caller = 0x8067;
constexpr uint32_t landing_pad = 0x17;

void put(CodeWriter& code, uint32_t operation, uint32_t result, uint32_t source, uint32_t immediate) {
    code.put_4(operation | result << 7 | source << 15 | immediate << 20);
}

void put_of_registers(CodeWriter& code, uint32_t operation, uint32_t left, uint32_t right) {
    code.put_4(operation | size_register << 7 | left << 15 | right << 20);
}

/// Whether it is an immediate, 12 bits with sign.
bool is_short(uint32_t value) {
    return value + 0x800 < 0x1000;
}

/// Registers of 64 bits get the sign of the 32. Not for 0x7ffff800 to 0x7fffffff.
void put_constant(CodeWriter& code, uint32_t result, uint32_t value) {
    const uint32_t low = value & 0xfff;
    if (is_short(value)) {
        put(code, add_immediate, result, zero, low);
        return;
    }
    if (low != 0) {
        put(code, add_immediate, result, result, low);
    }
    code.put_4(load_upper | result << 7 | ((value + 0x800) & 0xfffff000));
}

/// Without a sign, whatever it is.
void put_compared_constant(CodeWriter& code, uint32_t value) {
    const bool would_be_negative = value >= 0x7ffff800;
    if (would_be_negative) {
        put(code, add_immediate, constant_register, constant_register, value & 0x7ff);
        put(code, shift_left, constant_register, constant_register, 11);
        value >>= 11;
    }
    put_constant(code, constant_register, value);
}

uint32_t branch_distance(size_t bytes) {
    const auto distance = static_cast<uint32_t>(bytes);
    return (distance & 0x1000) << 19 | (distance & 0x7e0) << 20 | (distance & 0x1e) << 7 |
           (distance & 0x800) >> 4;
}

uint32_t jump_distance(size_t bytes) {
    const auto distance = static_cast<uint32_t>(bytes);
    return (distance & 0x7fe) << 20 | (distance & 0x800) << 9 | (distance & 0xff000);
}

void compare(CodeWriter& code, const Comparison& comparison) {
    const uint32_t compared = comparison.copy_shift == 0 ? size_register : copy_register;
    const bool is_with_zero = comparison.constant == 1;
    const uint32_t if_below = is_with_zero ? if_equal : if_less;
    uint32_t condition = comparison.jumps_if_below ? if_below : if_below ^ opposite;
    size_t distance = code.written() + 4 - comparison.target;
    if (distance >= 0x1000) {
        code.put_4(jump | jump_distance(distance));
        condition ^= opposite;
        distance = 8;
    }
    const uint32_t other = is_with_zero ? zero : constant_register;
    code.put_4(branch | condition | compared << 15 | other << 20 | branch_distance(distance));
    if (!is_with_zero) {
        put_compared_constant(code, comparison.constant);
    }
    if (comparison.makes_copy) {
        put(code, shift_right, copy_register, size_register, comparison.copy_shift);
    }
}

void return_constant(CodeWriter& code, unsigned value) {
    code.put_4(return_to_caller);
    put_constant(code, size_register, value);
}

/// In instructions.
unsigned cost_of_adding(uint32_t value) {
    const unsigned upper_too = (value & 0xfff) == 0 ? 2 : 3;
    return value == 0 ? 0 : is_short(value) ? 1 : upper_too;
}

void put_addition(CodeWriter& code, uint32_t source, uint32_t value) {
    if (!is_short(value)) {
        put_of_registers(code, add, source, constant_register);
        put_constant(code, constant_register, value);
    } else if (value != 0 || source != size_register) {
        put(code, add_immediate, size_register, source, value);
    }
}

void put_shift(CodeWriter& code, unsigned shift) {
    if (shift != 0) {
        put(code, shift_right, size_register, size_register, shift);
    }
}

void put_ascending(CodeWriter& code, const Run& run) {
    const auto shifted_offset = static_cast<uint32_t>(static_cast<int32_t>(run.offset) >> run.shift);
    const bool has_copy = run.copy_shift != 0 && run.copy_shift == run.shift;
    if (has_copy && shifted_offset << run.shift == run.offset) {
        put_addition(code, copy_register, shifted_offset);
        return;
    }
    const AscendingSteps steps = ascending_steps(run, cost_of_adding);
    put_addition(code, size_register, steps.after);
    put_shift(code, run.shift);
    put_addition(code, size_register, steps.before);
}

void put_descending(CodeWriter& code, const Run& run) {
    const bool shifts_first = descends_after_shift(run);
    put_shift(code, shifts_first ? 0 : run.shift);
    put_of_registers(code, subtract, constant_register, size_register);
    put_constant(code, constant_register, shifts_first ? run.offset >> run.shift : run.offset);
    put_shift(code, shifts_first ? run.shift : 0);
}

void return_run(CodeWriter& code, const Run& run) {
    code.put_4(return_to_caller);
    (run.is_descending ? put_descending : put_ascending)(code, run);
}

/// In instructions that make the constant.
unsigned cost_of_comparing(uint32_t constant) {
    const bool is_upper = (constant & 0xfff) == 0 && constant >> 31 == 0;
    return constant == 1 ? 0 : is_short(constant) || is_upper ? 1 : 2;
}

}  // namespace

const InstructionSet instruction_sets::riscv = {
    compare, return_constant, return_run, cost_of_comparing, 1, 11, 5, landing_pad};

}  // namespace malloom::codegen::bins
