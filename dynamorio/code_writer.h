// Inserts instructions of the client's own into a block or a trace.
#pragma once

#include <dr_api.h>
#include <stdint.h>

namespace malloom::dynamorio {

/// Inserts before `where`.
struct CodeWriter {
    void* context;
    instrlist_t* list;
    instr_t* where;

    void put(instr_t* made) const { instrlist_meta_preinsert(list, where, made); }
    void save(reg_id_t reg, dr_spill_slot_t slot) const { dr_save_reg(context, list, where, reg, slot); }
    void restore(reg_id_t reg, dr_spill_slot_t slot) const {
        dr_restore_reg(context, list, where, reg, slot);
    }

    void load_constant(reg_id_t into, uintptr_t value) const {
        put(INSTR_CREATE_mov_imm(context, opnd_create_reg(into), OPND_CREATE_INTPTR(value)));
    }
    void load(reg_id_t into, opnd_t from) const {
        put(INSTR_CREATE_mov_ld(context, opnd_create_reg(into), from));
    }
    void store(opnd_t into, reg_id_t value) const {
        put(INSTR_CREATE_mov_st(context, into, opnd_create_reg(value)));
    }

    /// into = base + index * scale + displacement; base and index may be DR_REG_NULL.
    void compute(reg_id_t into, reg_id_t base, reg_id_t index, int scale, int displacement) const {
        put(INSTR_CREATE_lea(
            context, opnd_create_reg(into),
            opnd_create_base_disp(base, index, index == DR_REG_NULL ? 0 : scale, displacement, OPSZ_lea)));
    }
};

}  // namespace malloom::dynamorio
