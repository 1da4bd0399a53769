/* What a program needs of a board, once each: a line of output, the time that something takes, memory, an
 * exit status. */
#include "firmware/board.h"

enum { words = 4096 };

static uint32_t sum(const uint32_t* memory) {
    uint32_t total = 0;
    for (uint32_t index = 0; index < words; ++index) total += memory[index];
    return total;
}

int main(void) {
    uint32_t* const memory = (uint32_t*)board_memory().begin;
    for (uint32_t index = 0; index < words; ++index) memory[index] = index;
    const uint32_t begin = board_cycles();
    const uint32_t total = sum(memory);
    const uint32_t cycles = board_cycles() - begin;
    board_write("hello, the sum of ");
    board_write_number(words);
    board_write(" words took ");
    board_write_number(cycles);
    board_write(" cycles\n");
    return total == words / 2 * (words - 1) ? 0 : 1;
}
