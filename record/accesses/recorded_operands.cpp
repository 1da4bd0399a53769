#include "record/accesses/recorded_operands.h"

#include <drutil.h>

namespace malloom::accesses {

namespace {

// String instructions name a segment, but only FS and GS have a base in 64-bit mode: thread-local storage.
bool is_thread_local(opnd_t operand) {
    if (!opnd_is_far_base_disp(operand)) return false;
    const reg_id_t segment = opnd_get_segment(operand);
    return segment == DR_SEG_FS || segment == DR_SEG_GS;
}

bool may_reach_heap(opnd_t operand) {
    if (!opnd_is_base_disp(operand) || is_thread_local(operand)) return false;
    const reg_id_t base = opnd_get_base(operand);
    const reg_id_t index = opnd_get_index(operand);
    if (base == DR_REG_NULL && index == DR_REG_NULL) return false;
    if (base != DR_REG_NULL && reg_to_pointer_sized(base) == DR_REG_XSP) return false;
    return index == DR_REG_NULL ||
           reg_is_gpr(index);  // a vector of indices: expanded before, or not understood
}

bool accesses_nothing(instr_t* instr) {
    const int opcode = instr_get_opcode(instr);
    return opcode == OP_lea || opcode == OP_nop_modrm || instr_is_prefetch(instr);
}

/// log2 of the largest power of two that is not above it. An unknown size, 0, counts as a byte.
uint8_t exponent_of(unsigned bytes) {
    return static_cast<uint8_t>(bytes <= 1 ? 0 : 31 - __builtin_clz(bytes));
}

}  // namespace

OperandsOf::OperandsOf(instr_t* instr) {
    if (!instr_valid(instr) || accesses_nothing(instr)) return;
    for (int i = 0; i < instr_num_srcs(instr); ++i) add(instr, instr_get_src(instr, i), false);
    for (int i = 0; i < instr_num_dsts(instr); ++i) add(instr, instr_get_dst(instr, i), true);
}

// The machine too makes several accesses of what is no power of two: ten bytes of the x87, and saved states.
void OperandsOf::add(instr_t* instr, opnd_t operand, bool store) {
    if (!may_reach_heap(operand)) return;
    for (unsigned left = drutil_opnd_mem_size_in_bytes(operand, instr);;) {
        const uint8_t exponent = exponent_of(left);
        add_piece({operand, !store, store, instr_get_opcode(instr) == OP_xlat, exponent});
        const unsigned bytes = 1u << exponent;
        if (left <= bytes) return;
        left -= bytes;
        opnd_set_disp(&operand, opnd_get_disp(operand) + static_cast<int>(bytes));
    }
}

void OperandsOf::add_piece(const RecordedOperand& piece) {
    for (unsigned i = 0; i < count; ++i) {
        RecordedOperand& known = operands[i];
        if (!opnd_same(known.operand, piece.operand)) continue;
        known.load |= piece.load;
        known.store |= piece.store;
        return;
    }
    if (count < most) operands[count++] = piece;
}

}  // namespace malloom::accesses
