#include "runtime/codegen/x86_64/instruction.h"

#include "runtime/codegen/x86_64/zydis.h"

namespace malloom::codegen::x86_64 {

namespace {

using Operands = Zydis::Operands;

bool is_wide(ZydisRegister reg) {
    return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15;
}

uint8_t number_of(ZydisRegister reg) {
    if (is_wide(reg)) {
        return static_cast<uint8_t>(reg - ZYDIS_REGISTER_RAX);
    }
    // A write to 32 bits clears the others.
    const bool is_half = reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D;
    return is_half ? static_cast<uint8_t>(reg - ZYDIS_REGISTER_EAX) : no_register;
}

bool is_plain_address(const ZydisDecodedOperandMem& memory) {
    const bool has_base = memory.base == ZYDIS_REGISTER_NONE || is_wide(memory.base);
    const bool has_index = memory.index == ZYDIS_REGISTER_NONE || is_wide(memory.index);
    return memory.type == ZYDIS_MEMOP_TYPE_MEM && memory.segment != ZYDIS_REGISTER_FS &&
           memory.segment != ZYDIS_REGISTER_GS && has_base && has_index;
}

Address address_of(const ZydisDecodedOperandMem& memory) {
    const uint8_t scale = memory.scale == 0 ? 1 : memory.scale;
    return {number_of(memory.base), number_of(memory.index), scale,
            memory.disp.has_displacement ? memory.disp.value : 0};
}

// Loads that spell their address out: others (rep movs, leave) have it in the instruction.
bool reads_operand(const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
           operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
           (operand.actions & ZYDIS_OPERAND_ACTION_READ) != 0 && is_plain_address(operand.mem);
}

bool writes_register(const ZydisDecodedOperand& operand, ZydisRegister reg) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value == reg &&
           (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

bool mentions(const ZydisDecodedOperand& operand, uint8_t number) {
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
        return number_of(operand.mem.base) == number || number_of(operand.mem.index) == number;
    }
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && number_of(operand.reg.value) == number;
}

// Of moves only: others may leave their result as it was (bsf of 0).
uint8_t result_of(const ZydisDecodedInstruction& found, const Operands& operands) {
    const ZydisDecodedOperand& first = operands[0];
    const bool is_move = found.mnemonic == ZYDIS_MNEMONIC_MOV || found.mnemonic == ZYDIS_MNEMONIC_MOVZX ||
                         found.mnemonic == ZYDIS_MNEMONIC_MOVSX || found.mnemonic == ZYDIS_MNEMONIC_MOVSXD;
    if (!is_move || first.type != ZYDIS_OPERAND_TYPE_REGISTER ||
        first.actions != ZYDIS_OPERAND_ACTION_WRITE) {
        return no_register;
    }
    const uint8_t number = number_of(first.reg.value);
    for (unsigned i = 1; i < found.operand_count; ++i) {
        if (mentions(operands[i], number)) {
            return no_register;
        }
    }
    return number;
}

// Shifts by a count of 0 and repetitions of length 0 leave all flags.
bool may_leave_flags(const ZydisDecodedInstruction& found) {
    const ZydisInstructionCategory category = found.meta.category;
    return category == ZYDIS_CATEGORY_SHIFT || category == ZYDIS_CATEGORY_ROTATE ||
           category == ZYDIS_CATEGORY_STRINGOP;
}

bool goes_on(const ZydisDecodedInstruction& found, const Operands& operands) {
    for (unsigned i = 0; i < found.operand_count; ++i) {
        if (writes_register(operands[i], ZYDIS_REGISTER_RIP)) {
            return false;
        }
    }
    const ZydisInstructionCategory category = found.meta.category;
    return category != ZYDIS_CATEGORY_SYSCALL && category != ZYDIS_CATEGORY_INTERRUPT &&
           category != ZYDIS_CATEGORY_SYSRET && found.meta.isa_set != ZYDIS_ISA_SET_RTM;
}

bool is_masked(const ZydisDecodedInstruction& found) {
    switch (found.mnemonic) {
        case ZYDIS_MNEMONIC_VMASKMOVPS:
        case ZYDIS_MNEMONIC_VMASKMOVPD:
        case ZYDIS_MNEMONIC_VPMASKMOVD:
        case ZYDIS_MNEMONIC_VPMASKMOVQ:
            return true;
        default:
            return found.avx.mask.mode != ZYDIS_MASK_MODE_INVALID &&
                   found.avx.mask.mode != ZYDIS_MASK_MODE_DISABLED;
    }
}

// Instructions with an operand that they do not access, or only where a mask says so: it may not exist.
bool may_not_access(const ZydisDecodedInstruction& found) {
    switch (found.meta.category) {
        case ZYDIS_CATEGORY_NOP:
        case ZYDIS_CATEGORY_WIDENOP:
        case ZYDIS_CATEGORY_PREFETCH:
        case ZYDIS_CATEGORY_CLDEMOTE:
        case ZYDIS_CATEGORY_MPX:
        case ZYDIS_CATEGORY_CET:
            return true;
        default:
            return is_masked(found);
    }
}

// jcc, not jrcxz and loop, which reach no further than they do.
void read_branch(const ZydisDecodedInstruction& found, Instruction& result) {
    const bool is_near = found.opcode_map == ZYDIS_OPCODE_MAP_0F && (found.opcode & 0xf0) == 0x80;
    const bool is_short = found.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (found.opcode & 0xf0) == 0x70;
    result.is_relative = (found.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0;
    result.leaves = found.mnemonic == ZYDIS_MNEMONIC_RET || found.mnemonic == ZYDIS_MNEMONIC_JMP;
    if (found.meta.category == ZYDIS_CATEGORY_COND_BR && (is_near || is_short)) {
        result.condition = found.opcode & 0xf;
        result.jump_distance = static_cast<int32_t>(found.raw.imm[0].value.s);
    }
}

void read_operands(const ZydisDecodedInstruction& found, const Operands& operands, Instruction& result) {
    unsigned addresses = 0;
    for (unsigned i = 0; i < found.operand_count; ++i) {
        addresses += operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY;
        if (reads_operand(operands[i])) {
            result.is_load = true;
            result.operand = address_of(operands[i].mem);
        }
    }
    const bool is_whole = found.address_width == 64 && addresses == 1;
    result.is_load = result.is_load && is_whole && result.goes_on && !may_not_access(found);
    result.result = result_of(found, operands);
}

}  // namespace

Instruction decode(const Zydis& zydis, const unsigned char* code, size_t bytes) {
    ZydisDecodedInstruction found;
    Operands operands;
    if (!zydis.decode(code, bytes, found, operands)) {
        return {};
    }
    Instruction result;
    result.length = found.length;
    result.goes_on = goes_on(found, operands);
    read_operands(found, operands, result);
    read_branch(found, result);
    if (found.cpu_flags != nullptr) {
        const ZydisAccessedFlags& flags = *found.cpu_flags;
        result.flags_read = flags.tested & status_flags;
        const uint32_t written = flags.modified | flags.set_0 | flags.set_1 | flags.undefined;
        result.flags_written = may_leave_flags(found) ? 0 : written & status_flags;
    }
    return result;
}

}  // namespace malloom::codegen::x86_64
