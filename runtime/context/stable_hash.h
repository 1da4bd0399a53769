// The identity of a call chain that survives restarts, ASLR and other hosts.
#pragma once

#include <stdint.h>

namespace malloom::context {

/// Folds `count` return addresses, innermost first, as formats/context_hash.h says. A frame in no module
/// counts as module 0, offset 0: its address says nothing in another run. Safe wherever find_module is.
uint64_t stable_hash(const uintptr_t* frames, unsigned count);

}  // namespace malloom::context
