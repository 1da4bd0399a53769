#include "optimizer/called_function.h"

#include <string.h>

#include "optimizer/allocation_slots.h"

namespace malloom::optimizer {

namespace {

constexpr uint8_t landing_pad[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64
constexpr uint8_t bound_checked = 0xf2;                      // the bnd prefix of old linkers
constexpr uint8_t jump_through_slot[] = {0xff, 0x25};        // jmp *displacement(%rip)

// The slot through which a stub of a procedure linkage table jumps, or nullptr where the code is none.
app_pc slot_of_stub(app_pc code) {
    uint8_t bytes[sizeof landing_pad + 1 + sizeof jump_through_slot + sizeof(int32_t)];
    size_t got;
    if (!dr_safe_read(code, sizeof bytes, bytes, &got) || got != sizeof bytes) return nullptr;
    size_t at = memcmp(bytes, landing_pad, sizeof landing_pad) == 0 ? sizeof landing_pad : 0;
    if (bytes[at] == bound_checked) ++at;
    if (memcmp(bytes + at, jump_through_slot, sizeof jump_through_slot) != 0) return nullptr;
    at += sizeof jump_through_slot;
    int32_t displacement;
    memcpy(&displacement, bytes + at, sizeof displacement);
    return code + at + sizeof displacement + displacement;
}

CalledFunction through_slot(app_pc address) {
    AllocationSlot slot;
    if (address == nullptr || !find_allocation_slot(address, slot)) return {};
    bool is_bound = false;
    const AllocationFunction* const function = function_in_slot(address, is_bound);
    return {function, is_bound ? nullptr : address};
}

CalledFunction called_directly(app_pc target) {
    const AllocationFunction* const function = function_at(target);
    return function != nullptr ? CalledFunction{function, nullptr} : through_slot(slot_of_stub(target));
}

}  // namespace

CalledFunction called_function(instr_t* last) {
    if (last == nullptr || !has_run_time()) return {};
    const int opcode = instr_get_opcode(last);
    if (opcode == OP_call || opcode == OP_jmp) {
        const opnd_t target = instr_get_target(last);
        return opnd_is_pc(target) ? called_directly(opnd_get_pc(target)) : CalledFunction{};
    }
    if (opcode != OP_call_ind) return {};
    const opnd_t target = instr_get_target(last);
    return opnd_is_rel_addr(target) ? through_slot(static_cast<app_pc>(opnd_get_addr(target)))
                                    : CalledFunction{};
}

const AllocationFunction* function_in_slot(app_pc address, bool& is_bound) {
    AllocationSlot slot;
    app_pc target = nullptr;
    size_t got;
    is_bound = true;
    if (!find_allocation_slot(address, slot) || !dr_safe_read(address, sizeof target, &target, &got)) {
        return nullptr;
    }
    is_bound = target < slot.module_start || target >= slot.module_end;
    return is_bound ? function_at(target) : nullptr;
}

}  // namespace malloom::optimizer
