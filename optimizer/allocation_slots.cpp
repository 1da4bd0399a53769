#include "optimizer/allocation_slots.h"

#include <string.h>

#include "dynamorio/client.h"
#include "optimizer/relocations.h"

namespace malloom::optimizer {

namespace {

/// A slot and the module that it lies in. Until the loader has bound a slot, it points back into its module.
struct AllocationSlot {
    app_pc address;
    dynamorio::AddressRange module;
};

// A module has at most one slot of either kind for each function; more than fit are not redirected.
constexpr size_t capacity = 8192;

AllocationSlot slots[capacity];
size_t count;
void* lock;

void add(void* context, app_pc address, const char* name) {
    const auto* const module = static_cast<const module_data_t*>(context);
    if (function_named(name) == nullptr || count == capacity) return;
    slots[count++] = {address, dynamorio::range_of(module)};
}

bool find_slot(app_pc address, AllocationSlot& slot) {
    dr_mutex_lock(lock);
    size_t i = 0;
    while (i < count && slots[i].address != address) ++i;
    const bool found = i < count;
    if (found) slot = slots[i];
    dr_mutex_unlock(lock);
    return found;
}

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

/// What a slot holds now.
struct SlotContent {
    const AllocationFunction* function;
    bool is_bound;
};

SlotContent content_of(app_pc address) {
    AllocationSlot slot;
    app_pc target = nullptr;
    size_t got;
    if (!find_slot(address, slot) || !dr_safe_read(address, sizeof target, &target, &got))
        return {nullptr, true};
    if (slot.module.contains(target)) return {nullptr, false};
    return {function_at(target), true};
}

CalledFunction through_slot(app_pc address) {
    if (address == nullptr) return {};
    const SlotContent content = content_of(address);
    return {content.function, content.is_bound ? nullptr : address};
}

CalledFunction called_directly(app_pc target) {
    const AllocationFunction* const function = function_at(target);
    return function != nullptr ? CalledFunction{function, nullptr} : through_slot(slot_of_stub(target));
}

}  // namespace

bool init_allocation_slots() {
    lock = dr_mutex_create();
    return lock != nullptr;
}

void exit_allocation_slots() {
    dr_mutex_destroy(lock);
}

void add_allocation_slots(const module_data_t* module) {
    remove_allocation_slots(module);
    dr_mutex_lock(lock);
    for_each_bound_word(module, add, const_cast<module_data_t*>(module));
    dr_mutex_unlock(lock);
}

void remove_allocation_slots(const module_data_t* module) {
    dr_mutex_lock(lock);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (slots[i].module.start != module->start) slots[kept++] = slots[i];
    }
    count = kept;
    dr_mutex_unlock(lock);
}

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

bool is_bound(app_pc slot) {
    return content_of(slot).is_bound;
}

}  // namespace malloom::optimizer
