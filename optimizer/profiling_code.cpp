#include "optimizer/profiling_code.h"

#include <stddef.h>

#include "optimizer/trace_code.h"

namespace malloom::optimizer {

namespace {

// The thread's row, as a pointer: the profile's start and eight times the row's number.
reg_id_t row_segment;
uint row_offset;

opnd_t row_slot(void* context) {
    return dr_raw_tls_opnd(context, row_segment, row_offset);
}

void take_row(const CodeWriter& at) {
    at.load(DR_REG_RDX, OPND_CREATE_MEM64(DR_REG_RDX, offsetof(EntryCounter, profile)));
    at.put(INSTR_CREATE_movzx(at.context, opnd_create_reg(DR_REG_ECX), opnd_create_reg(DR_REG_CL)));
    at.compute(DR_REG_RDX, DR_REG_RDX, DR_REG_RCX, sizeof(uintptr_t), 0);
    at.store(row_slot(at.context), DR_REG_RDX);
    at.store(OPND_CREATE_MEM64(DR_REG_RDX, offsetof(TraceProfile, stacks)), DR_REG_RSP);
}

void store_reference(const CodeWriter& at, const AddressGroup& group, size_t column) {
    const auto offset =
        static_cast<int>(offsetof(TraceProfile, references) + column * sizeof(TraceProfile::stacks));
    const reg_id_t row = free_register(group.operand, group.operand);
    const reg_id_t sum = free_register(group.operand, group.operand, row);
    at.save(row, SPILL_SLOT_1);
    at.load(row, row_slot(at.context));
    if (group.index == DR_REG_NULL) {
        at.store(OPND_CREATE_MEM64(row, offset), group.base);
    } else {
        at.save(sum, SPILL_SLOT_2);
        at.compute(sum, group.base, group.index, opnd_get_scale(group.operand), 0);
        at.store(OPND_CREATE_MEM64(row, offset), sum);
        at.restore(sum, SPILL_SLOT_2);
    }
    at.restore(row, SPILL_SLOT_1);
}

}  // namespace

bool init_profiling_code() {
    return dr_raw_tls_calloc(&row_segment, &row_offset, 1, 0);
}

void insert_profiling(void* context, instrlist_t* trace, const TraceLoads& loads, EntryCounter* counter,
                      void (*counted)(void*), void* argument) {
    for (size_t i = 0; i < loads.count(); ++i) store_reference({context, trace, loads[i].first}, loads[i], i);
    const CodeWriter entry{context, trace, instrlist_first(trace)};
    count_entry(entry, &counter->countdown, reinterpret_cast<void*>(counted), argument,
                [&] { take_row(entry); });
}

}  // namespace malloom::optimizer
