#include "optimizer/prefetch_code.h"

#include "optimizer/trace_code.h"

namespace malloom::optimizer {

namespace {

constexpr int page_bits = 12;  // a larger page only lets the look-ahead be refused too often
constexpr int most_instructions_after_load = 12;

instr_t* prefetch_of(void* context, opnd_t operand, bool non_temporal) {
    opnd_set_size(&operand, OPSZ_prefetch);
    return non_temporal ? INSTR_CREATE_prefetchnta(context, operand)
                        : INSTR_CREATE_prefetcht0(context, operand);
}

/// into = the operand's address, `ahead` further and `more` bytes.
void compute_ahead(const CodeWriter& at, reg_id_t into, opnd_t operand, LookAhead ahead, int more) {
    const reg_id_t base = opnd_get_base(operand), index = opnd_get_index(operand);
    const int displacement = displaced(opnd_get_disp(operand), more), scale = opnd_get_scale(operand);
    if (ahead.variable == nullptr) {
        at.compute(into, base, index, scale, displaced(displacement, ahead.distance.bytes));
        return;
    }
    at.load_constant(into, reinterpret_cast<uintptr_t>(&ahead.variable->bytes));
    at.load(into, OPND_CREATE_MEM64(into, 0));
    if (base != DR_REG_NULL) at.compute(into, into, base, 1, displacement);
    if (index != DR_REG_NULL) at.compute(into, into, index, scale, base == DR_REG_NULL ? displacement : 0);
}

/// Whether an instruction sets all arithmetic flags whatever its operands are (a shift by 0 does not).
bool sets_flags(instr_t* instr) {
    switch (instr_get_opcode(instr)) {
        case OP_add:
        case OP_sub:
        case OP_cmp:
        case OP_test:
        case OP_and:
        case OP_or:
        case OP_xor:
        case OP_neg:
        case OP_comiss:
        case OP_comisd:
        case OP_ucomiss:
        case OP_ucomisd:
            return true;
        default:
            return false;
    }
}

bool are_flags_dead(instr_t* where) {
    for (instr_t* instr = where; instr != nullptr; instr = instr_get_next_app(instr)) {
        const uint flags = instr_get_arith_flags(instr, DR_QUERY_DEFAULT);
        if ((flags & EFLAGS_READ_ARITH) != 0 || instr_is_mbr(instr) || instr_is_syscall(instr)) return false;
        if (sets_flags(instr)) return true;
    }
    return false;
}

bool writes_any(instr_t* instr, opnd_t operand) {
    for (int i = 0; i < opnd_num_regs_used(operand); ++i) {
        if (instr_writes_to_reg(instr, opnd_get_reg_used(operand, i), DR_QUERY_INCLUDE_ALL)) return true;
    }
    return false;
}

/// The register of the group's address that the load does not produce.
reg_id_t other_register(const AddressGroup& group) {
    return group.produced == group.index ? group.base : group.index;
}

bool keeps_other_register(const AddressGroup& group) {
    const reg_id_t other = other_register(group);
    if (other == DR_REG_NULL) return true;
    for (instr_t* instr = group.producing; instr != nullptr && instr != group.first;
         instr = instr_get_next_app(instr)) {
        if (instr_writes_to_reg(instr, other, DR_QUERY_INCLUDE_ALL)) return false;
    }
    return true;
}

bool synchronises(instr_t* instr) {
    return instr_get_prefix_flag(instr, PREFIX_LOCK) || instr_get_opcode(instr) == OP_xchg;
}

}  // namespace

opnd_t loaded_operand(instr_t* load) {
    return instr_get_src(load, 0);
}

instr_t* indirect_place(const AddressGroup& group) {
    if (group.produced == other_register(group) || !keeps_other_register(group)) return nullptr;
    const opnd_t word = loaded_operand(group.producing);
    instr_t* instr = group.producing;
    for (int i = 0; i < most_instructions_after_load && instr != nullptr; ++i) {
        if (writes_any(instr, word) || synchronises(instr)) return nullptr;
        instr = instr_get_next_app(instr);
        if (instr != nullptr && are_flags_dead(instr)) return instr;
    }
    return nullptr;
}

void insert_strided_prefetch(void* context, instrlist_t* trace, const AddressGroup& group, LookAhead ahead,
                             bool non_temporal) {
    const CodeWriter at{context, trace, group.first};
    if (ahead.variable == nullptr) {
        opnd_t operand = group.operand;
        opnd_set_disp(&operand, displaced(opnd_get_disp(operand), ahead.distance.bytes));
        at.put(prefetch_of(context, operand, non_temporal));
        return;
    }
    const reg_id_t address = free_register(group.operand, group.operand);
    at.save(address, SPILL_SLOT_1);
    compute_ahead(at, address, group.operand, ahead, 0);
    at.put(prefetch_of(context, OPND_CREATE_MEM8(address, 0), non_temporal));
    at.restore(address, SPILL_SLOT_1);
}

// The page of the word is compared with the page of the word that was just read: by its last byte where the
// references go up, and by its first where they go down: its other end lies between there and what was read.
void insert_indirect_prefetch(void* context, instrlist_t* trace, const AddressGroup& group, instr_t* place,
                              LookAhead ahead, bool non_temporal) {
    const CodeWriter at{context, trace, place};
    const opnd_t word = loaded_operand(group.producing);
    const bool is_index = instr_get_opcode(group.producing) == OP_movsxd;
    const int checked_byte = ahead.distance.bytes < 0 ? 0 : is_index ? 3 : 7;
    const reg_id_t target = free_register(word, group.operand);
    const reg_id_t page = free_register(word, group.operand, target);
    instr_t* const outside = INSTR_CREATE_label(context);
    at.save(target, SPILL_SLOT_1);
    at.save(page, SPILL_SLOT_2);
    compute_ahead(at, target, word, ahead, checked_byte);
    at.compute(page, opnd_get_base(word), opnd_get_index(word), opnd_get_scale(word), opnd_get_disp(word));
    at.put(INSTR_CREATE_xor(context, opnd_create_reg(page), opnd_create_reg(target)));
    at.put(INSTR_CREATE_shr(context, opnd_create_reg(page), OPND_CREATE_INT8(page_bits)));
    at.put(INSTR_CREATE_jcc(context, OP_jnz, opnd_create_instr(outside)));
    const opnd_size_t size = is_index ? OPSZ_4 : OPSZ_8;
    const opnd_t coming = opnd_create_base_disp(target, DR_REG_NULL, 0, -checked_byte, size);
    at.put(is_index ? INSTR_CREATE_movsxd(context, opnd_create_reg(target), coming)
                    : INSTR_CREATE_mov_ld(context, opnd_create_reg(target), coming));
    opnd_t reached = group.operand;
    opnd_replace_reg(&reached, group.produced, target);
    at.put(prefetch_of(context, reached, non_temporal));
    at.put(outside);
    at.restore(page, SPILL_SLOT_2);
    at.restore(target, SPILL_SLOT_1);
}

}  // namespace malloom::optimizer
