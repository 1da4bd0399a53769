// AArch64. Sizes come in x0, bins go out in w0, and constants are made in w1.
#include "runtime/codegen/bins/instruction_set.h"
#include "runtime/codegen/bins/run_steps.h"

namespace malloom::codegen::bins {
namespace {

constexpr uint32_t constant_register = 1;

// Of w0 where nothing else is said; `compare` of all 64 bits.
constexpr uint32_t add_immediate = 0x11000000, subtract_immediate = 0x51000000;
constexpr uint32_t compare_immediate = 0xf100001f, shifted_by_12 = 1U << 22;
constexpr uint32_t add_constant_register = 0x0b000000 | constant_register << 16;
constexpr uint32_t subtract_constant_register = 0x4b000000 | constant_register << 16;
constexpr uint32_t compare_constant_register = 0xeb00001f | constant_register << 16;
constexpr uint32_t subtract_shifted_from_constant_register = 0x4b400000 | constant_register << 5;
constexpr uint32_t shift_right = 0x53007c00;
constexpr uint32_t move_low = 0x52800000, move_high = 0x52a00000, replace_high = 0x72a00000;
constexpr uint32_t branch = 0x54000000, if_not_below = 2, if_below = 3;
constexpr uint32_t return_to_caller = 0xd65f03c0;
constexpr uint32_t landing_pad = 0xd503245f;

/// 12 bits, or 12 bits and as many zeros.
bool is_immediate(uint32_t value) {
    return value < 0x1000 || (value & 0xff000fff) == 0;
}

uint32_t immediate(uint32_t value) {
    return value < 0x1000 ? value << 10 : shifted_by_12 | value >> 2;
}

void put_constant(CodeWriter& code, uint32_t result, uint32_t value) {
    const uint32_t low = value & 0xffff, high = value >> 16;
    if (high != 0) {
        code.put_4((low == 0 ? move_high : replace_high) | high << 5 | result);
    }
    if (low != 0 || high == 0) {
        code.put_4(move_low | low << 5 | result);
    }
}

void compare(CodeWriter& code, const Comparison& comparison) {
    const auto distance = static_cast<uint32_t>(code.written() + 4 - comparison.target);
    code.put_4(branch | (comparison.jumps_if_below ? if_below : if_not_below) | distance << 3);
    if (is_immediate(comparison.constant)) {
        code.put_4(compare_immediate | immediate(comparison.constant));
    } else {
        code.put_4(compare_constant_register);
        put_constant(code, constant_register, comparison.constant);
    }
}

void return_constant(CodeWriter& code, unsigned value) {
    code.put_4(return_to_caller);
    put_constant(code, 0, value);
}

uint32_t magnitude(uint32_t value) {
    return value >> 31 == 0 ? value : 0 - value;
}

/// In instructions.
unsigned cost_of_adding(uint32_t value) {
    const uint32_t size = magnitude(value);
    return size == 0 ? 0 : is_immediate(size) ? 1 : size < 0x10000 ? 2 : 3;
}

void put_addition(CodeWriter& code, uint32_t value) {
    const uint32_t size = magnitude(value);
    const bool is_negative = size != value;
    if (!is_immediate(size)) {
        code.put_4(is_negative ? subtract_constant_register : add_constant_register);
        put_constant(code, constant_register, size);
    } else if (size != 0) {
        code.put_4((is_negative ? subtract_immediate : add_immediate) | immediate(size));
    }
}

void put_shift(CodeWriter& code, uint32_t shift) {
    if (shift != 0) {
        code.put_4(shift_right | shift << 16);
    }
}

void put_ascending(CodeWriter& code, const Run& run) {
    const AscendingSteps steps = ascending_steps(run, cost_of_adding);
    put_addition(code, steps.after);
    put_shift(code, run.shift);
    put_addition(code, steps.before);
}

void put_descending(CodeWriter& code, const Run& run) {
    const bool shifts_first = descends_after_shift(run);
    put_shift(code, shifts_first ? 0 : run.shift);
    code.put_4(subtract_shifted_from_constant_register | (shifts_first ? uint32_t{run.shift} << 10 : 0));
    put_constant(code, constant_register, shifts_first ? run.offset >> run.shift : run.offset);
}

void return_run(CodeWriter& code, const Run& run) {
    code.put_4(return_to_caller);
    (run.is_descending ? put_descending : put_ascending)(code, run);
}

/// A copy would take a register and gain an instruction at most.
unsigned cost_of_comparing(uint32_t) {
    return 0;
}

}  // namespace

const InstructionSet instruction_sets::aarch64 = {
    compare, return_constant, return_run, cost_of_comparing, 1, 0, 4, landing_pad};

}  // namespace malloom::codegen::bins
