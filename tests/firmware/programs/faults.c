// Executes what is no instruction.
#include "firmware/board.h"

int main(void) {
    board_write("begun\n");
#if defined(__arm__)
    __asm__ volatile("udf #0");
#elif defined(__aarch64__) || defined(__riscv)
    __asm__ volatile(".word 0");
#else
    __builtin_trap();
#endif
    return 0;
}
