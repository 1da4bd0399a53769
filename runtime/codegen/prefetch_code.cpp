#include "runtime/codegen/prefetch_code.h"

namespace malloom::codegen {

using formats::plan::PlanPrefetch;
using formats::plan::PrefetchKind;

namespace {

constexpr int32_t page = 4096;     // the smallest of x86-64: memory can be read or not by such pieces
constexpr int32_t red_zone = 128;  // bytes below the stack pointer that belong to the function

PrefetchKind kind_of(const PlanPrefetch& prefetch) {
    return static_cast<PrefetchKind>(prefetch.kind);
}

Address address_of(const PlanPrefetch& prefetch) {
    return {static_cast<uint8_t>(prefetch.base), static_cast<uint8_t>(prefetch.index),
            static_cast<uint8_t>(prefetch.scale), prefetch.displacement};
}

bool is_read_by(uint8_t reg, const PlanPrefetch& prefetch) {
    return reg == prefetch.base || reg == prefetch.index || reg == prefetch.target_base;
}

// The load's result is free before it, unless its address needs it.
uint8_t free_register(const LoadSite& site) {
    return is_read_by(site.load.result, *site.prefetch) ? no_register : site.load.result;
}

uint8_t any_register(const PlanPrefetch& prefetch) {
    uint8_t reg = 0;
    while (is_read_by(reg, prefetch) || reg == stack_pointer) {
        ++reg;
    }
    return reg;
}

// Jumps where the word is not on the page of the load's operand. Nothing says that another page can be read.
size_t jump_unless_same_page(const Address& operand, int64_t distance, int32_t word, uint8_t scratch,
                             MachineCode& code) {
    code.load_address_half(scratch, operand);
    code.and_half(scratch, page - 1);
    if (distance < 0) {
        code.compare_half(scratch, static_cast<int32_t>(-distance));
        return code.jump_if_below();
    }
    code.compare_half(scratch, static_cast<int32_t>(page - word - distance));
    return code.jump_if_above();
}

void append_target(const PlanPrefetch& prefetch, uint8_t word, MachineCode& code) {
    if (prefetch.target_base == no_register && prefetch.target_scale == 1) {
        code.prefetch({word, no_register, 1, prefetch.target_displacement}, false);
    } else {
        code.prefetch({static_cast<uint8_t>(prefetch.target_base), word,
                       static_cast<uint8_t>(prefetch.target_scale), prefetch.target_displacement},
                      false);
    }
}

void save(uint8_t reg, MachineCode& code) {
    code.move_stack_pointer(-red_zone);
    code.push(reg);
    code.push_flags();
}

void restore(uint8_t reg, MachineCode& code) {
    code.pop_flags();
    code.pop(reg);
    code.move_stack_pointer(red_zone);
}

bool append_indirect(const LoadSite& site, int32_t word, MachineCode& code) {
    const PlanPrefetch& prefetch = *site.prefetch;
    const int64_t distance = prefetch.displacement - site.load.operand.displacement;
    if (distance > page - word || distance < -page || (distance < 0 && distance > -word) ||
        prefetch.target_base == stack_pointer) {
        return false;
    }
    const uint8_t free = free_register(site);
    const bool saves = free == no_register || !site.flags_are_free;
    const uint8_t scratch = free == no_register ? any_register(prefetch) : free;
    if (saves) {
        save(scratch, code);
    }
    const size_t jump = jump_unless_same_page(site.load.operand, distance, word, scratch, code);
    if (word == 8) {
        code.load_8_bytes(scratch, address_of(prefetch));
    } else {
        code.load_4_bytes(scratch, address_of(prefetch));
    }
    append_target(prefetch, scratch, code);
    code.land(jump);
    if (saves) {
        restore(scratch, code);
    }
    return true;
}

bool append_prefetch_alone(const LoadSite& site, MachineCode& code) {
    switch (kind_of(*site.prefetch)) {
        case PrefetchKind::temporal_0:
            code.prefetch(address_of(*site.prefetch), false);
            return true;
        case PrefetchKind::non_temporal:
            code.prefetch(address_of(*site.prefetch), true);
            return true;
        case PrefetchKind::indirect:
            return append_indirect(site, 8, code);
        case PrefetchKind::indexed:
            return append_indirect(site, 4, code);
    }
    return false;
}

}  // namespace

bool append_prefetch(const LoadSite& site, MachineCode& code) {
    if (!append_prefetch_alone(site, code)) {
        return false;
    }
    code.copy(reinterpret_cast<const unsigned char*>(site.address), site.load.length);
    return true;
}

}  // namespace malloom::codegen
