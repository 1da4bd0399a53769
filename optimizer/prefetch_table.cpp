#include "optimizer/prefetch_table.h"

#include "optimizer/run_time_library.h"

namespace malloom::optimizer {

using formats::plan::PlanPrefetch;
using formats::plan::PrefetchKind;

namespace {

constexpr uint32_t no_register = 16;

uint32_t hardware_number(reg_id_t reg) {
    return reg == DR_REG_NULL ? no_register : static_cast<uint32_t>(reg - DR_REG_START_64);
}

// The address of the load and what of it a plan keeps. False where its code cannot be read.
bool begin_entry(PlanPrefetch& entry, instr_t* load, opnd_t operand, PrefetchDistance distance) {
    app_pc const pc = instr_get_app_pc(load);
    entry = {};
    entry.offset = reinterpret_cast<uintptr_t>(pc);
    entry.base = hardware_number(opnd_get_base(operand));
    entry.index = hardware_number(opnd_get_index(operand));
    entry.scale = opnd_get_index(operand) == DR_REG_NULL ? 1 : static_cast<uint32_t>(opnd_get_scale(operand));
    entry.distance = static_cast<int32_t>(distance.bytes);
    entry.target_base = no_register;
    entry.target_scale = 1;
    return dr_safe_read(pc, sizeof entry.code, &entry.code, nullptr);
}

bool is_same_place(const PlanPrefetch& one, const PlanPrefetch& other) {
    return one.offset == other.offset && one.kind == other.kind &&
           one.target_displacement == other.target_displacement && one.target_base == other.target_base;
}

void add(const PlanPrefetch& entry, bool is_used) {
    front::DynamicPrefetches* const table = prefetches();
    if (table == nullptr) return;
    uint32_t i = 0;
    while (i < table->count && !is_same_place(table->prefetches[i].prefetch, entry)) ++i;
    if (i == front::DynamicPrefetches::capacity) return;
    if (i == table->count || is_used) table->prefetches[i] = {entry, is_used};
    if (i == table->count) __atomic_store_n(&table->count, i + 1, __ATOMIC_RELEASE);
}

}  // namespace

void add_strided_prefetch(const AddressGroup& group, PrefetchDistance distance, bool non_temporal,
                          bool is_used) {
    PlanPrefetch entry;
    if (!begin_entry(entry, group.first, group.operand, distance)) return;
    entry.kind = static_cast<uint32_t>(non_temporal ? PrefetchKind::non_temporal : PrefetchKind::temporal_0);
    add(entry, is_used);
}

// A plan adds the scaled word to a register, so a register that is scaled itself has no place in it.
void add_indirect_prefetch(const AddressGroup& group, PrefetchDistance distance, bool is_used) {
    PlanPrefetch entry;
    const bool produces_base = group.produced == group.base;
    if (produces_base && group.index != DR_REG_NULL && opnd_get_scale(group.operand) != 1) return;
    if (!begin_entry(entry, group.producing, loaded_operand(group.producing), distance)) return;
    const bool is_index = instr_get_opcode(group.producing) == OP_movsxd;
    entry.kind = static_cast<uint32_t>(is_index ? PrefetchKind::indexed : PrefetchKind::indirect);
    entry.target_base = hardware_number(produces_base ? group.index : group.base);
    entry.target_scale = produces_base ? 1 : static_cast<uint32_t>(opnd_get_scale(group.operand));
    entry.target_displacement = opnd_get_disp(group.operand);
    add(entry, is_used);
}

}  // namespace malloom::optimizer
