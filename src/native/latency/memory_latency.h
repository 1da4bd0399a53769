// How long this machine waits for caches, memory and translations. Each figure is the least of several
// repetitions, as neighbours and interrupts only ever add.
#pragma once

#include <stdint.h>

#include "src/native/latency/working_memory.h"

namespace malloom::native {

/// Nanoseconds of an instruction that waits for the one before it, at the frequency of the moment: a
/// processor's cycle.
double cycle_nanoseconds();

/// Nanoseconds by which a page walk makes an access longer: a line on each of 8,192 small pages, against as
/// many lines side by side. Takes 32 MiB while it measures.
double page_walk_nanoseconds();

/// Loads from working sets of up to `bytes`, one waiting for the other. Not thread-safe.
class MemoryLatency {
  public:
    explicit MemoryLatency(uint64_t bytes) : memory_(bytes, WorkingMemory::Pages::huge) {}

    /// Nanoseconds of a load that no hardware prefetcher covers, with `working_set` bytes in use.
    ///
    /// All of them are read before each walk, in order, the lines of the walk before all others, so that
    /// levels of fewer than `nearer` bytes do not have them. 0: there is no nearer level. Throws
    /// std::invalid_argument where the working set has no line.
    double random_access(uint64_t working_set, uint64_t nearer);

    /// The same for loads of one line after the other.
    double sequential_access(uint64_t working_set, uint64_t nearer);

  private:
    WorkingMemory memory_;
};

}  // namespace malloom::native
