#include "runtime/codegen/x86_64/trampoline.h"

namespace malloom::codegen::x86_64 {

using formats::plan::PlanPrefetch;
using formats::plan::PrefetchKind;

namespace {

constexpr int32_t page = 4096;     // the smallest of x86-64: memory can be read or not by such pieces
constexpr int32_t red_zone = 128;  // bytes below the stack pointer that belong to the function

PrefetchKind kind_of(const PlanPrefetch& prefetch) {
    return static_cast<PrefetchKind>(prefetch.kind);
}

// What is prefetched, or holds the word that leads to it.
Address address_ahead(const LoadSite& site) {
    Address ahead = site.load.operand;
    ahead.displacement += site.prefetch->distance;
    return ahead;
}

bool is_read_by(uint8_t reg, const PlanPrefetch& prefetch) {
    return reg == prefetch.base || reg == prefetch.index || reg == prefetch.target_base;
}

// The load's result is free before it, unless its address needs it; the stack's end never is.
uint8_t free_register(const LoadSite& site) {
    const uint8_t result = site.load.result;
    return is_read_by(result, *site.prefetch) || result == stack_pointer ? no_register : result;
}

uint8_t any_register(const PlanPrefetch& prefetch) {
    uint8_t reg = 0;
    while (is_read_by(reg, prefetch) || reg == stack_pointer) {
        ++reg;
    }
    return reg;
}

// Jumps where the word is not on the page of the load's operand. Nothing says that another page can be read.
Emitter::ForwardJump jump_unless_same_page(const Address& operand, int64_t distance, int32_t word,
                                           uint8_t scratch, Emitter& code) {
    code.load_address_half(scratch, operand);
    code.and_half(scratch, page - 1);
    if (distance < 0) {
        code.compare_half(scratch, static_cast<int32_t>(-distance));
        return code.jump_forward_if(if_below);
    }
    code.compare_half(scratch, static_cast<int32_t>(page - word - distance));
    return code.jump_forward_if(if_above);
}

void emit_target(const PlanPrefetch& prefetch, uint8_t word, Emitter& code) {
    if (prefetch.target_base == no_register && prefetch.target_scale == 1) {
        code.prefetch({word, no_register, 1, prefetch.target_displacement}, false);
    } else {
        code.prefetch({static_cast<uint8_t>(prefetch.target_base), word,
                       static_cast<uint8_t>(prefetch.target_scale), prefetch.target_displacement},
                      false);
    }
}

void save(uint8_t reg, Emitter& code) {
    code.move_stack_pointer(-red_zone);
    code.push(reg);
    code.push_flags();
}

void restore(uint8_t reg, Emitter& code) {
    code.pop_flags();
    code.pop(reg);
    code.move_stack_pointer(red_zone);
}

bool emit_indirect(const LoadSite& site, int32_t word, Emitter& code) {
    const PlanPrefetch& prefetch = *site.prefetch;
    const int64_t distance = prefetch.distance;
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
    const Emitter::ForwardJump jump = jump_unless_same_page(site.load.operand, distance, word, scratch, code);
    if (word == 8) {
        code.load_8_bytes(scratch, address_ahead(site));
    } else {
        code.load_4_bytes(scratch, address_ahead(site));
    }
    emit_target(prefetch, scratch, code);
    code.land(jump);
    if (saves) {
        restore(scratch, code);
    }
    return true;
}

bool emit_prefetch(const LoadSite& site, Emitter& code) {
    switch (kind_of(*site.prefetch)) {
        case PrefetchKind::temporal_0:
            code.prefetch(address_ahead(site), false);
            return true;
        case PrefetchKind::non_temporal:
            code.prefetch(address_ahead(site), true);
            return true;
        case PrefetchKind::indirect:
            return emit_indirect(site, 8, code);
        case PrefetchKind::indexed:
            return emit_indirect(site, 4, code);
    }
    return false;
}

std::span<const unsigned char> code_at(uintptr_t address, size_t bytes) {
    return {reinterpret_cast<const unsigned char*>(address), bytes};
}

const Patch* patch_at(uintptr_t address, std::span<const Patch> above) {
    for (size_t i = above.size(); i > 0 && above[i - 1].address <= address; --i) {
        if (above[i - 1].address == address) {
            return &above[i - 1];
        }
    }
    return nullptr;
}

// An instruction of the program's that the jump covers; false where it cannot stand elsewhere.
bool emit_covered(const Instruction& covered, uintptr_t place, Emitter& code) {
    const uintptr_t end = place + covered.length;
    if (covered.condition != no_condition) {
        code.jump_if(covered.condition, end + static_cast<uintptr_t>(intptr_t{covered.jump_distance}));
        return true;
    }
    if (covered.length == 0 || covered.is_relative || (!covered.goes_on && !covered.leaves)) {
        return false;
    }
    code.copy(code_at(place, covered.length));
    return true;
}

}  // namespace

bool emit_prefetched_load(const LoadSite& site, Emitter& code) {
    if (!emit_prefetch(site, code)) {
        return false;
    }
    code.copy(code_at(site.address, site.load.length));
    return code.is_whole();
}

// Goes back behind the jump, by way of copies of the instructions that its last bytes are part of. Back into
// the middle of it would be as right, but processors would look for a branch there, in vain, at 7 ns each
// time.
bool emit_way_back(const LoadSite& site, unsigned covered, std::span<const Patch> above, Emitter& code) {
    uintptr_t place = site.address + site.load.length;
    for (const Instruction& next : site.following) {
        const Patch* patch = patch_at(place, above);
        if (patch != nullptr || place >= site.address + covered) {
            code.jump(patch != nullptr ? patch->trampoline : place);
            return code.is_whole();
        }
        if (!emit_covered(next, place, code)) {
            return false;
        }
        if (next.leaves) {
            return code.is_whole();
        }
        place += next.length;
    }
    return false;
}

}  // namespace malloom::codegen::x86_64
