// What is executed at a load in place of it.
#pragma once

#include <stdint.h>

#include <span>

#include "runtime/codegen/x86_64/emitter.h"
#include "runtime/codegen/x86_64/load_site.h"
#include "runtime/codegen/x86_64/punned_jump.h"

namespace malloom::codegen::x86_64 {

/// A jump to a trampoline, to be written over a load.
struct Patch {
    uintptr_t address;
    uintptr_t trampoline;
    int protection;
    unsigned size;
    unsigned char bytes[PunnedJump::most_bytes];
};

/// Emits a trampoline's beginning for a site whose load was found: its prefetch and the load, which run
/// anywhere. They change no register, flag or memory that the load alone would not change, and fault only
/// where the load would, on the page where it would. False where that cannot be done.
bool emit_prefetched_load(const LoadSite& site, Emitter& code);

/// Emits its end: the way back behind the first `covered` bytes, which the site's jump takes, or on to one of
/// the trampolines of the loads `above`, whose addresses descend. False where that cannot be done.
bool emit_way_back(const LoadSite& site, unsigned covered, std::span<const Patch> above, Emitter& code);

}  // namespace malloom::codegen::x86_64
