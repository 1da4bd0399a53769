// Asks the core's chunk unit what the data file says, and prints each answer. Opcodes of 8 and more have a
// funct7 of 1 and of 2. Last it prints the cycles that eight finds add.
#include "tests/firmware/programs/requests.h"

DEFINE_ASK(ask_unit, 0)

static uint32_t ask(uint32_t opcode, uint32_t first, uint32_t second) {
    if (opcode < 8) return ask_unit(opcode, first, second);
    return opcode == 8 ? ASK(0, 1, first, second) : ASK(0, 2, first, second);
}

#define FIND_EIGHT()                                                                                \
    do {                                                                                            \
        (void)ASK(0, 0, 0, 0), (void)ASK(0, 0, 0, 0), (void)ASK(0, 0, 0, 0), (void)ASK(0, 0, 0, 0); \
        (void)ASK(0, 0, 0, 0), (void)ASK(0, 0, 0, 0), (void)ASK(0, 0, 0, 0), (void)ASK(0, 0, 0, 0); \
    } while (0)

/* How many cycles more sixteen finds take than eight. */
static uint32_t more_cycles(void) {
    const uint32_t begin = board_cycles();
    FIND_EIGHT();
    const uint32_t middle = board_cycles();
    FIND_EIGHT();
    FIND_EIGHT();
    return board_cycles() - middle - (middle - begin);
}

int main(void) {
    print_answers(ask);
    /* The second time the code is in the cache. */
    uint32_t cycles = 0;
    for (int round = 0; round < 2; ++round) cycles = more_cycles();
    board_write_number(cycles);
    board_write("\n");
    return 0;
}
