// A unit in hardware behind a processor's custom instructions.
#pragma once

#if defined(__riscv)
#include <stdint.h>

namespace malloom::structures {

/// What stands behind custom-0 with that funct7. A request is the funct3; the instruction waits for its
/// answer.
template <int funct7>
struct CustomInstructions {
    template <auto request>
    [[gnu::always_inline]] static uint32_t ask(uintptr_t first, uint32_t second = 0) {
        uint32_t answer = 0;
        __asm__ volatile(".insn r 0x0b, %3, %4, %0, %1, %z2"
                         : "=r"(answer)
                         : "r"(first), "rJ"(second), "i"(static_cast<int>(request)), "i"(funct7));
        return answer;
    }
};

}  // namespace malloom::structures
#endif
