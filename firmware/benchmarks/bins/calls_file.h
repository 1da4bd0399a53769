// The file that `bin_calls` is given: words of 32 bits. src/malloom/bench/bins/figure5.py writes it.
#pragma once

#include <stdint.h>

#include "firmware/benchmarks/bins/replay_file.h"

namespace malloom::bench::bins {

struct CallsFile {
    ReplayHeader settings;  ///< of the heap whose function is called, without operations
    uint32_t limit;         ///< of the sizes: a power of two
    uint32_t random;        ///< so many sizes, drawn evenly; 0: all multiples of the step
    uint32_t step;
    uint32_t flushes;  ///< 1: the instruction cache is flushed before each call
};

}  // namespace malloom::bench::bins
