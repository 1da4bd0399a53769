// All of mimalloc, with its own system layer, start and options, for programs that it is linked into. A fork
// waits for its locks. setup/mimalloc.sh compiles it.
#include "runtime/heaps/fallback/mimalloc_gated.h"

#include <prim/prim.c>  // NOLINT(bugprone-suspicious-include): as mimalloc has it

#include "compiler/fallback/mimalloc_entries.h"

// Before constructors of the program, whose threads and handlers of forks come after.
__attribute__((constructor(101))) static void watch_forks(void) {
    malloom_fork_gate_open();
}
