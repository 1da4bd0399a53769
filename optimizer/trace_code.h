// What is inserted into traces, for profiling and for trials alike. Registers are spilled to DynamoRIO's
// slots and never held across an instruction of the program; flags are not touched, or only where they are
// dead.
#pragma once

#include <dr_api.h>
#include <stdint.h>

#include "dynamorio/code_writer.h"

namespace malloom::optimizer {

using dynamorio::CodeWriter;

/// A register that none of these operands use; never the stack pointer. `taken` is another one not to take.
inline reg_id_t free_register(opnd_t one, opnd_t other, reg_id_t taken = DR_REG_NULL) {
    reg_id_t reg = DR_REG_RAX;
    while (reg == taken || reg == DR_REG_RSP || opnd_uses_reg(one, reg) || opnd_uses_reg(other, reg))
        reg = static_cast<reg_id_t>(reg + 1);
    return reg;
}

/// Counts an entry of the trace down in `counter`, of which the lower 16 bits count, and calls
/// `callee(argument)` when they are 0. What `record` inserts finds `counter` in rdx and the count in rcx, and
/// may change both.
template <typename Record>
void count_entry(const CodeWriter& at, uint64_t* counter, void* callee, void* argument, Record record) {
    instr_t* const call = INSTR_CREATE_label(at.context);
    instr_t* const done = INSTR_CREATE_label(at.context);
    at.save(DR_REG_RCX, SPILL_SLOT_1);
    at.save(DR_REG_RDX, SPILL_SLOT_2);
    at.load_constant(DR_REG_RDX, reinterpret_cast<uintptr_t>(counter));
    at.load(DR_REG_RCX, OPND_CREATE_MEM64(DR_REG_RDX, 0));
    at.compute(DR_REG_RCX, DR_REG_RCX, DR_REG_NULL, 0, -1);
    at.store(OPND_CREATE_MEM64(DR_REG_RDX, 0), DR_REG_RCX);
    record();
    at.load_constant(DR_REG_RDX, reinterpret_cast<uintptr_t>(counter));
    at.put(INSTR_CREATE_movzx(at.context, opnd_create_reg(DR_REG_ECX), OPND_CREATE_MEM16(DR_REG_RDX, 0)));
    at.put(INSTR_CREATE_jecxz(at.context, opnd_create_instr(call)));
    at.put(INSTR_CREATE_jmp(at.context, opnd_create_instr(done)));
    at.put(call);
    dr_insert_clean_call(at.context, at.list, at.where, callee, false, 1, OPND_CREATE_INTPTR(argument));
    at.put(done);
    at.restore(DR_REG_RDX, SPILL_SLOT_2);
    at.restore(DR_REG_RCX, SPILL_SLOT_1);
}

}  // namespace malloom::optimizer
