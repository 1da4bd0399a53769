// x86-64 as System V calls. Sizes come in rdi, bins go out in eax.
#include "runtime/codegen/bins/instruction_set.h"

namespace malloom::codegen::bins {
namespace {

// Instructions, the byte that comes first the lowest.
constexpr uint32_t move_to_eax = 0xb8, clear_eax = 0xc031, copy_edi_to_eax = 0xf889;
constexpr uint32_t load_near_address = 0x478d, load_far_address = 0x878d;  // edi and a distance, to eax
constexpr uint32_t subtract_edi_from_eax = 0xf829, shift_eax_right = 0xe8c1;
constexpr uint32_t compare_rdi_with_byte = 0xff8348, compare_rdi_with_word = 0xff8148;
constexpr uint32_t compare_rdi_with_rax = 0xc73948;
constexpr uint32_t jump_if_below = 0x72, jump_if_not_below = 0x73, far_jump = 0x0f, far_jumps = 0x10;
constexpr uint32_t return_to_caller = 0xc3;
constexpr uint32_t landing_pad = 0xfa1e0ff3;

/// Any place will do, whatever the machine that writes.
void put_bytes(CodeWriter& code, uint32_t value, unsigned bytes) {
    while (bytes-- != 0) {
        code.put_1(value >> 8 * bytes);
    }
}

void put_constant(CodeWriter& code, uint32_t value) {
    put_bytes(code, value, 4);
    code.put_1(move_to_eax);
}

void put_jump(CodeWriter& code, uint32_t operation, size_t target) {
    const auto distance = static_cast<uint32_t>(code.written() - target);
    if (distance < 0x80) {
        code.put_1(distance);
        code.put_1(operation);
    } else {
        put_bytes(code, distance, 4);
        code.put_1(operation + far_jumps);
        code.put_1(far_jump);
    }
}

void compare(CodeWriter& code, const Comparison& comparison) {
    const uint32_t constant = comparison.constant;
    put_jump(code, comparison.jumps_if_below ? jump_if_below : jump_if_not_below, comparison.target);
    if (constant < 0x80) {
        code.put_1(constant);
        put_bytes(code, compare_rdi_with_byte, 3);
    } else if (constant >> 31 == 0) {
        put_bytes(code, constant, 4);
        put_bytes(code, compare_rdi_with_word, 3);
    } else {
        // A constant in the comparison would get a sign.
        put_bytes(code, compare_rdi_with_rax, 3);
        put_constant(code, constant);
    }
}

void return_constant(CodeWriter& code, unsigned value) {
    code.put_1(return_to_caller);
    if (value == 0) {
        put_bytes(code, clear_eax, 2);
    } else {
        put_constant(code, value);
    }
}

void put_sum(CodeWriter& code, uint32_t offset) {
    if (offset == 0) {
        put_bytes(code, copy_edi_to_eax, 2);
    } else if (offset + 0x80 < 0x100) {
        code.put_1(offset);
        put_bytes(code, load_near_address, 2);
    } else {
        put_bytes(code, offset, 4);
        put_bytes(code, load_far_address, 2);
    }
}

void return_run(CodeWriter& code, const Run& run) {
    code.put_1(return_to_caller);
    if (run.shift != 0) {
        code.put_1(run.shift);
        put_bytes(code, shift_eax_right, 2);
    }
    if (run.is_descending) {
        put_bytes(code, subtract_edi_from_eax, 2);
        put_constant(code, run.offset);
    } else {
        put_sum(code, run.offset);
    }
}

/// Every constant is part of its comparison.
unsigned cost_of_comparing(uint32_t) {
    return 0;
}

}  // namespace

const InstructionSet instruction_sets::x86_64 = {
    compare, return_constant, return_run, cost_of_comparing, 1, 0, 4, landing_pad};

}  // namespace malloom::codegen::bins
