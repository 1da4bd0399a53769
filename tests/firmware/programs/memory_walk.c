// Writes all of the memory that it has, reads it again, and prints the time of the second walk, which misses
// the cache at every step.
#include "firmware/board.h"

enum { step = 64 };

int main(void) {
    const struct board_range memory = board_memory();
    const size_t steps = memory.bytes / step;
    for (size_t index = 0; index < steps; ++index) memory.begin[index * step] = (uint8_t)index;
    const uint32_t begin = board_cycles();
    size_t right = 0;
    for (size_t index = 0; index < steps; ++index) right += memory.begin[index * step] == (uint8_t)index;
    const uint32_t cycles = board_cycles() - begin;
    board_write_number(steps);
    board_write(" ");
    board_write_number(cycles);
    board_write("\n");
    return right == steps && (uintptr_t)memory.begin % 64 == 0 ? 0 : 1;
}
