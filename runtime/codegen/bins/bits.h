// Bits of words, also for machines that have no instruction to count them.
#pragma once

#include <stdint.h>

namespace malloom::codegen::bins {

/// One more than the number of the highest bit that is set; 0 of 0.
inline unsigned bit_width(uint32_t value) {
#if defined(__riscv) && !defined(__riscv_zbb)
    // Compilers would call a function of their library.
    unsigned width = 0;
    if (value >> 16 != 0) {
        value >>= 16;
        width = 16;
    }
    if (value >> 8 != 0) {
        value >>= 8;
        width += 8;
    }
    if (value >> 4 != 0) {
        value >>= 4;
        width += 4;
    }
    // Of 0 to 15, four bits each.
    constexpr uint32_t below_8 = 0x33332210;
    return width + (value >= 8 ? 4 : below_8 >> 4 * value & 15);
#else
    return value == 0 ? 0 : 32 - static_cast<unsigned>(__builtin_clz(value));
#endif
}

}  // namespace malloom::codegen::bins
