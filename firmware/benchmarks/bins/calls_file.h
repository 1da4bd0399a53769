// The file that `bin_calls` is given: words of 32 bits. src/malloom/bench/bins/figure5.py writes it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/benchmarks/bins/replay_file.h"

namespace malloom::bench::bins {

struct CallsFile {
    ReplayHeader settings;  ///< of the heap whose function is called, without operations
    uint32_t limit;         ///< of the sizes: a power of two
    uint32_t random;        ///< so many sizes, drawn evenly; 0: all multiples of the step
    uint32_t step;
    uint32_t flushes;  ///< 1: the instruction cache is flushed before each call

    /// Of the bins, where the settings' ranges are given: they follow.
    const uint32_t* begins() const {
        return settings.ranges == Ranges::given ? reinterpret_cast<const uint32_t*>(this + 1) : nullptr;
    }
    size_t bytes() const {
        return sizeof *this + (begins() != nullptr ? settings.bins * sizeof(uint32_t) : 0);
    }
};

}  // namespace malloom::bench::bins
