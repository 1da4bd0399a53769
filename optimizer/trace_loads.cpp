#include "optimizer/trace_loads.h"

#include <initializer_list>

namespace malloom::optimizer {

namespace {

bool is_address_register(reg_id_t reg) {
    return reg == DR_REG_NULL || (reg_is_gpr(reg) && reg_is_pointer_sized(reg));
}

bool is_heap_register(reg_id_t reg, const Options& options) {
    return reg != DR_REG_RSP && (reg != DR_REG_RBP || options.frame_pointer == 0);
}

/// Whether the instruction does nothing but load a word into a register: 8 bytes, or 4 with their sign.
bool is_word_load(instr_t* instr) {
    const int opcode = instr_get_opcode(instr);
    return (opcode == OP_mov_ld || opcode == OP_movsxd) && instr_num_dsts(instr) == 1 &&
           opnd_is_reg(instr_get_dst(instr, 0)) &&
           reg_is_pointer_sized(opnd_get_reg(instr_get_dst(instr, 0)));
}

}  // namespace

TraceLoads::TraceLoads(instrlist_t* trace, const Options& options) : options_(options) {
    for (instr_t* instr = instrlist_first_app(trace); instr != nullptr; instr = instr_get_next_app(instr)) {
        last_taken_ = most;
        for (int i = 0; i < instr_num_srcs(instr); ++i)
            take(instr, instr_get_src(instr, static_cast<uint>(i)));
        pass(instr);
    }
}

size_t TraceLoads::find(app_pc pc) const {
    size_t found = 0;
    while (found < count_ && groups_[found].load != pc) ++found;
    return found;
}

// Ordinary reads through registers that may point into the heap.
bool TraceLoads::is_profiled(instr_t* instr, opnd_t operand) const {
    if (!opnd_is_base_disp(operand) || opnd_is_far_memory_reference(operand) || instr_is_cti(instr))
        return false;
    if (!instr_reads_memory(instr) || instr_is_prefetch(instr) || instr_is_gather(instr)) return false;
    if (instr_is_string_op(instr) || instr_is_rep_string_op(instr)) return false;
    const reg_id_t base = opnd_get_base(operand), index = opnd_get_index(operand);
    if (base == DR_REG_NULL || !is_address_register(base) || !is_heap_register(base, options_)) return false;
    return index == DR_REG_NULL || (options_.indexed != 0 && is_address_register(index));
}

size_t TraceLoads::group_of(const AddressGroup& wanted) const {
    size_t i = 0;
    for (; i < count_; ++i) {
        const AddressGroup& known = groups_[i];
        if (known.base == wanted.base && known.base_version == wanted.base_version &&
            known.index == wanted.index && known.index_version == wanted.index_version &&
            opnd_get_scale(known.operand) == opnd_get_scale(wanted.operand))
            break;
    }
    return i;
}

// A register that a load of this trace produces: an indirect prefetch reads ahead what that load will read.
void TraceLoads::find_producer(AddressGroup& group) const {
    group.producer = most;
    for (const reg_id_t reg : {group.index, group.base}) {
        if (reg == DR_REG_NULL || state(reg).producer == most) continue;
        group.producer = state(reg).producer;
        group.produced = reg;
        group.producing = state(reg).producing;
        return;
    }
}

void TraceLoads::take(instr_t* instr, opnd_t operand) {
    if (!is_profiled(instr, operand)) return;
    const reg_id_t base = opnd_get_base(operand), index = opnd_get_index(operand);
    AddressGroup group = {};
    group.first = instr;
    group.load = instr_get_app_pc(instr);
    group.operand = operand;
    group.base = base;
    group.index = index;
    group.base_version = state(base).version;
    group.index_version = index != DR_REG_NULL ? state(index).version : 0;
    const size_t known = group_of(group);
    if (known == most) return;  // no more room
    last_taken_ = known;
    if (known < count_) return;
    find_producer(group);
    groups_[count_++] = group;
}

void TraceLoads::pass(instr_t* instr) {
    for (int i = 0; i < instr_num_dsts(instr); ++i) {
        const opnd_t destination = instr_get_dst(instr, static_cast<uint>(i));
        if (!opnd_is_reg(destination) || !reg_is_gpr(opnd_get_reg(destination))) continue;
        Register& written = state(reg_to_pointer_sized(opnd_get_reg(destination)));
        ++written.version;
        written.producer = last_taken_ != most && is_word_load(instr) ? last_taken_ : most;
        written.producing = instr;
    }
}

}  // namespace malloom::optimizer
