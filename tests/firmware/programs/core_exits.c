// The third core exits with a status of its own, the others never do.
#include "firmware/boards/riscv_core/cores.h"

int main(void) {
    if (board_core() == 2) return 42;
    for (;;) __asm__ volatile("");
}
