// Each core reads a word of shared memory again and again, all at the same time, each in a line of its own:
// prints the cycles that each one takes.
#include "firmware/boards/riscv_core/cores.h"

enum { reads = 256, begin = 5000, line_words = 8, lock = 0 };

int main(void) {
    volatile uint32_t* const words = (volatile uint32_t*)board_shared_memory().begin;
    volatile uint32_t* const mine = words + board_core() * line_words;
    // The cores' clocks are the same.
    while (board_cycles() < begin) {
    }
    const uint32_t before = board_cycles();
    for (unsigned number = 0; number < reads; ++number) (void)*mine;
    const uint32_t cycles = board_cycles() - before;
    mine[1] = cycles;
    volatile uint32_t* const ended = words + board_core_count() * line_words;
    board_lock(lock);
    ++*ended;
    board_unlock(lock);
    if (board_core() != 0) return 0;
    while (*ended != board_core_count()) {
    }
    for (unsigned core = 0; core < board_core_count(); ++core) {
        board_write_number(words[core * line_words + 1]);
        board_write("\n");
    }
    return 0;
}
