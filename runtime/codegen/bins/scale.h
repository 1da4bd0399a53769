// Numbers made so small that sums of them, and products of these, stay in a word.
#pragma once

#include <stdint.h>

namespace malloom::codegen::bins {

struct Scale {
    unsigned shift;  ///< to the right, of each number
    uint32_t sum;    ///< of what remains of them
};

/// So that the sum has at most so many bits.
Scale scale_to(unsigned bits, const uint32_t* numbers, unsigned count);

}  // namespace malloom::codegen::bins
