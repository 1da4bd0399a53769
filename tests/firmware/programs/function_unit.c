// Prints what the core's function unit answers.
#include "firmware/board.h"

static uint32_t ask(uint32_t first, uint32_t second) {
    uint32_t answer;
    __asm__ volatile(".insn r 0x0b, 0, 0, %0, %1, %2" : "=r"(answer) : "r"(first), "r"(second));
    return answer;
}

int main(void) {
    for (uint32_t number = 1; number < 4; ++number) {
        board_write_number(ask(number, 10 * number));
        board_write(number < 3 ? " " : "\n");
    }
    return 0;
}
