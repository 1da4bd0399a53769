#include "record/accesses/instrumentation.h"

#include <dr_api.h>
#include <drmgr.h>
#include <drreg.h>
#include <drutil.h>
#include <drx.h>
#include <stdint.h>

#include "dynamorio/code_writer.h"
#include "formats/profile.h"
#include "record/accesses/block_event.h"
#include "record/accesses/bursts.h"
#include "record/accesses/recorded_operands.h"
#include "record/accesses/recorder_library.h"
#include "record/accesses/shapes.h"
#include "record/accesses/thread_recording.h"

namespace malloom::accesses {

using dynamorio::CodeWriter;
using formats::profile::AccessKind;

namespace {

constexpr int word_bytes = sizeof(uint64_t);

/// What the passes over one block know of it. A block's accesses are written as one piece, or several where a
/// shape is full: a word with the shape's id, which is known only at the end of the piece, and then the
/// bases.
struct Block {
    bool one_by_one;      ///< it has loops or jumps inside: every instruction is a piece of its own
    unsigned words;       ///< written since the cursor was loaded
    reg_id_t cursor;      ///< the register that holds it
    instr_t* piece;       ///< writes the id of the piece that is being made; null between pieces
    unsigned piece_word;  ///< where that goes
    ShapeBuilder shape;   ///< of that piece
};

void load_cursor(const CodeWriter& at, const Block& block) {
    at.load(block.cursor, cursor_operand(at.context));
}

// Jumps over the call unless the cursor is above the limit.
void make_room(const CodeWriter& at, const Block& block) {
    instr_t* const enough = INSTR_CREATE_label(at.context);
    drreg_reserve_aflags(at.context, at.list, at.where);
    load_cursor(at, block);
    at.put(INSTR_CREATE_cmp(at.context, opnd_create_reg(block.cursor), limit_operand(at.context)));
    at.put(INSTR_CREATE_jcc(at.context, OP_jb, opnd_create_instr(enough)));
    dr_insert_clean_call(at.context, at.list, at.where, reinterpret_cast<void*>(buffer_full), false, 0);
    load_cursor(at, block);
    at.put(enough);
    drreg_unreserve_aflags(at.context, at.list, at.where);
}

void begin_cursor(const CodeWriter& at, Block& block, drvector_t* allowed) {
    if (drreg_reserve_register(at.context, at.list, at.where, allowed, &block.cursor) != DRREG_SUCCESS)
        drreg_reserve_register(at.context, at.list, at.where, nullptr, &block.cursor);
    block.words = 0;
    block.piece = nullptr;
    make_room(at, block);
}

opnd_t next_word(Block& block) {
    return OPND_CREATE_MEM64(block.cursor, static_cast<int>(block.words++) * word_bytes);
}

void begin_piece(const CodeWriter& at, Block& block) {
    block.shape.begin();
    block.piece_word = block.words;
    block.piece = INSTR_CREATE_mov_st(at.context, next_word(block), OPND_CREATE_INT32(0));
    at.put(block.piece);
}

// Bases without a shape would be read as shapes: where there is none, what follows is written over them.
void end_piece(Block& block) {
    if (block.piece == nullptr) return;
    const uint32_t shape = block.shape.finish();
    if (shape == no_shape) block.words = block.piece_word;
    instr_set_src(block.piece, 0, OPND_CREATE_INT32(static_cast<int>(shape)));
    block.piece = nullptr;
}

void end_cursor(const CodeWriter& at, Block& block) {
    end_piece(block);
    if (block.words != 0) {
        at.compute(block.cursor, block.cursor, DR_REG_NULL, 0, static_cast<int>(block.words) * word_bytes);
        at.store(cursor_operand(at.context), block.cursor);
    }
    drreg_unreserve_register(at.context, at.list, at.where, block.cursor);
}

// drreg_get_app_value would load it into the cursor's register itself, and the cursor would be lost.
void load_value_under_cursor(const CodeWriter& at, const Block& block, reg_id_t into) {
    drreg_reserve_info_t kept = {};
    kept.size = sizeof kept;
    drreg_reservation_info_ex(at.context, block.cursor, &kept);
    if (!opnd_is_null(kept.opnd)) at.load(into, kept.opnd);
}

/// Gives every register of an operand its application value; the cursor's own comes into `instead`.
opnd_t with_application_values(const CodeWriter& at, const Block& block, opnd_t operand, reg_id_t instead) {
    const bool replaced = opnd_uses_reg(operand, block.cursor);
    if (replaced) {
        load_value_under_cursor(at, block, instead);
        opnd_replace_reg(&operand, block.cursor, instead);
    }
    for (int i = 0; i < opnd_num_regs_used(operand); ++i) {
        const reg_id_t used = reg_to_pointer_sized(opnd_get_reg_used(operand, i));
        if (reg_is_gpr(used) && !(replaced && used == instead))
            drreg_get_app_value(at.context, at.list, at.where, used, used);
    }
    return operand;
}

void forbid(drvector_t* allowed, reg_id_t used) {
    if (reg_is_gpr(used)) drreg_set_vector_entry(allowed, reg_to_pointer_sized(used), false);
}

/// Registers that may hold an operand's address: where the operand itself needs the cursor's register, others
/// than its own.
void forbid_operand(drvector_t* allowed, opnd_t operand) {
    for (int i = 0; i < opnd_num_regs_used(operand); ++i) forbid(allowed, opnd_get_reg_used(operand, i));
}

/// The part of an operand that other operands can share: its registers.
opnd_t without_displacement(opnd_t operand) {
    return opnd_create_base_disp(opnd_get_base(operand), opnd_get_index(operand), opnd_get_scale(operand), 0,
                                 OPSZ_lea);
}

/// Whether all registers of an address are whole ones, so that it is their sum and the displacement.
bool is_plain_sum(const RecordedOperand& recorded) {
    const reg_id_t base = opnd_get_base(recorded.operand);
    const reg_id_t index = opnd_get_index(recorded.operand);
    return !recorded.needs_scratch && (base == DR_REG_NULL || reg_is_pointer_sized(base)) &&
           (index == DR_REG_NULL || reg_is_pointer_sized(index));
}

// A base that is one register is stored from where it is.
void store_register(const CodeWriter& at, Block& block, reg_id_t value) {
    drreg_get_app_value(at.context, at.list, at.where, value, value);
    at.store(next_word(block), value);
}

void store_address(const CodeWriter& at, Block& block, opnd_t computed, bool needs_scratch) {
    drvector_t allowed;
    drreg_init_and_fill_vector(&allowed, true);
    if (opnd_uses_reg(computed, block.cursor)) forbid_operand(&allowed, computed);
    reg_id_t address, scratch = DR_REG_NULL;
    drreg_reserve_register(at.context, at.list, at.where, &allowed, &address);
    if (needs_scratch) drreg_reserve_register(at.context, at.list, at.where, &allowed, &scratch);
    const opnd_t operand = with_application_values(at, block, computed, address);
    drutil_insert_get_mem_addr(at.context, at.list, at.where, operand, address, scratch);
    at.store(next_word(block), address);
    if (needs_scratch) drreg_unreserve_register(at.context, at.list, at.where, scratch);
    drreg_unreserve_register(at.context, at.list, at.where, address);
    drvector_delete(&allowed);
}

/// Index of the operand's base in the piece's shape; stored now unless an earlier operand's serves.
unsigned base_of(const CodeWriter& at, Block& block, const RecordedOperand& recorded) {
    if (!is_plain_sum(recorded)) {
        store_address(at, block, recorded.operand, recorded.needs_scratch);
        return block.shape.add_base(recorded.operand, false);
    }
    const int known = block.shape.find(recorded.operand);
    if (known >= 0) return static_cast<unsigned>(known);
    const reg_id_t base = opnd_get_base(recorded.operand);
    if (opnd_get_index(recorded.operand) == DR_REG_NULL && base != block.cursor) {
        store_register(at, block, base);
    } else {
        store_address(at, block, without_displacement(recorded.operand), false);
    }
    return block.shape.add_base(recorded.operand, true);
}

void record_operand(const CodeWriter& at, Block& block, const RecordedOperand& recorded) {
    if (block.words + 2 > most_words_of_block) return;
    if (block.piece != nullptr && block.shape.full()) end_piece(block);
    if (block.piece == nullptr) begin_piece(at, block);
    const unsigned base = base_of(at, block, recorded);
    const int offset = is_plain_sum(recorded) ? opnd_get_disp(recorded.operand) : 0;
    if (recorded.load) block.shape.add_access(base, offset, recorded.tag(false));
    if (recorded.store) block.shape.add_access(base, offset, recorded.tag(true));
}

// The beacon's argument, a ticket, becomes a marker.
void record_event(const CodeWriter& at, Block& block) {
    end_piece(block);
    const int offset = static_cast<int>(block.words) * word_bytes;
    store_register(at, block, DR_REG_XDI);
    at.put(INSTR_CREATE_mov_st(at.context, OPND_CREATE_MEM8(block.cursor, offset + word_bytes - 1),
                               OPND_CREATE_INT8(static_cast<signed char>(AccessKind::event))));
}

/// The registers that the fewest instructions of the block use, best none: a cursor in one of them seldom has
/// to give way.
void allow_least_used(drvector_t* allowed, instrlist_t* list) {
    unsigned uses[DR_NUM_GPR_REGS] = {};
    for (instr_t* instr = instrlist_first_app(list); instr != nullptr; instr = instr_get_next_app(instr)) {
        for (unsigned i = 0; i < DR_NUM_GPR_REGS; ++i)
            uses[i] += instr_uses_reg(instr, static_cast<reg_id_t>(DR_REG_START_GPR + i));
    }
    unsigned fewest = ~0u;
    for (const unsigned count : uses)
        if (count < fewest) fewest = count;
    drreg_init_and_fill_vector(allowed, false);
    for (unsigned i = 0; i < DR_NUM_GPR_REGS; ++i) {
        if (uses[i] == fewest)
            drreg_set_vector_entry(allowed, static_cast<reg_id_t>(DR_REG_START_GPR + i), true);
    }
}

bool has_recorded(instrlist_t* list) {
    for (instr_t* instr = instrlist_first_app(list); instr != nullptr; instr = instr_get_next_app(instr)) {
        const app_pc pc = instr_get_app_pc(instr);
        if (pc == beacon()) return true;
        if (in_recorder(pc)) continue;
        if (instr_is_gather(instr) || instr_is_scatter(instr) || OperandsOf(instr).count != 0) return true;
    }
    return false;
}

// No object is accessed before the first request, and that sends its ticket through the beacon. Until then
// the dynamic loader's work, most of a short program's code, is left as it is.
bool is_recorded(instrlist_t* list) {
    if (beacon() == nullptr) return false;
    if (instr_get_app_pc(instrlist_first_app(list)) == beacon()) bursts::begin();
    return bursts::recording() && has_recorded(list);
}

dr_emit_flags_t expand(void* context, void*, instrlist_t* list, bool, bool, void** data) {
    auto* const block = static_cast<Block*>(dr_thread_alloc(context, sizeof(Block)));
    *block = {};
    *data = block;
    bool repeated = false, scattered = false;
    drutil_expand_rep_string_ex(context, list, &repeated, nullptr);
    drx_expand_scatter_gather(context, list, &scattered);
    block->one_by_one = repeated || scattered;
    return DR_EMIT_DEFAULT;
}

// drmgr wants all four.
dr_emit_flags_t analyse(void*, void*, instrlist_t*, bool, bool, void*) {
    return DR_EMIT_DEFAULT;
}

void record_instruction(const CodeWriter& at, Block& block, instr_t* operands) {
    const app_pc pc = instr_get_app_pc(operands);
    if (pc == beacon()) record_event(at, block);
    if (in_recorder(pc)) return;
    const OperandsOf recorded(operands);
    for (unsigned i = 0; i < recorded.count; ++i) record_operand(at, block, recorded.operands[i]);
}

void begin_in_block(const CodeWriter& at, Block& block) {
    drvector_t allowed;
    allow_least_used(&allowed, at.list);
    begin_cursor(at, block, &allowed);
    drvector_delete(&allowed);
}

// In a block with jumps inside no register can be kept from one instruction to the next.
void insert_one_by_one(const CodeWriter& at, Block& block, instr_t* operands) {
    if (operands == nullptr || OperandsOf(operands).count == 0) return;
    begin_cursor(at, block, nullptr);
    record_instruction(at, block, operands);
    end_cursor(at, block);
}

dr_emit_flags_t insert(void* context, void*, instrlist_t* list, instr_t* where, bool, bool, void* data) {
    auto& block = *static_cast<Block*>(data);
    const CodeWriter at{context, list, where};
    instr_t* const operands = drmgr_orig_app_instr_for_operands(context);
    if (block.one_by_one) {
        insert_one_by_one(at, block, operands);
        return DR_EMIT_STORE_TRANSLATIONS;
    }
    if (drmgr_is_first_instr(context, where)) begin_in_block(at, block);
    if (operands != nullptr) record_instruction(at, block, operands);
    block.shape.pass(where);
    if (drmgr_is_last_instr(context, where)) end_cursor(at, block);
    return DR_EMIT_STORE_TRANSLATIONS;
}

dr_emit_flags_t release(void* context, void*, instrlist_t*, bool, bool, void* data) {
    dr_thread_free(context, data, sizeof(Block));
    return DR_EMIT_DEFAULT;
}

}  // namespace

bool init_instrumentation() {
    // The cursor, an address, a scratch register, the flags, and one more for each value kept across
    // instructions.
    drreg_options_t options = {sizeof options, 5, false, nullptr, false};
    instrument_only(is_recorded);
    return drreg_init(&options) == DRREG_SUCCESS && drutil_init() && drx_init() &&
           drmgr_register_bb_instrumentation_ex_event(expand, analyse, insert, release, nullptr);
}

void exit_instrumentation() {
    drx_exit();
    drutil_exit();
    drreg_exit();
}

}  // namespace malloom::accesses
