// Puts prefetches into the code of the running process.
#pragma once

#include <stddef.h>

#include "runtime/codegen/x86_64/load_site.h"

namespace malloom::codegen::x86_64 {

struct Patched {
    size_t loads = 0;  ///< that have their prefetch now
    size_t pages = 0;  ///< that the process now has of its own: changed code, and trampolines
    const char* problem =
        nullptr;  ///< what kept all from being patched, in a few words; nullptr where nothing did
};

/// Gives each site whose load is there a jump to a trampoline: the prefetch, the load, and back. Sites that
/// do not fit the code are left out. Reorders them. What they say is checked so that the program computes
/// what it would have computed, whatever the plan holds: the worst that a plan can do is to make it slower.
/// Call it once, before the program has code of its own at work: never from within a request.
Patched patch_loads(LoadSite* sites, size_t count);

}  // namespace malloom::codegen::x86_64
