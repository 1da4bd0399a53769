// Asks the core's window unit what the data file says, and prints each answer. The opcode 8 has another
// funct7. Then it prints what two takes and a give answer that follow one another at once, and last the
// cycles that eight takes add.
#include "tests/firmware/programs/requests.h"

DEFINE_ASK(ask_unit, 2)

static uint32_t ask(uint32_t opcode, uint32_t first, uint32_t second) {
    return opcode < 8 ? ask_unit(opcode, first, second) : ASK(0, 1, first, second);
}

/* Nothing between them: the unit makes each wait until it has changed its window. */
static void follow_at_once(uint32_t bytes) {
    uint32_t first, second, given;
    __asm__ volatile(
        ".insn r 0x0b, 0, 2, %0, %3, zero\n"
        ".insn r 0x0b, 0, 2, %1, %3, zero\n"
        ".insn r 0x0b, 1, 2, %2, %1, zero\n"
        : "=&r"(first), "=&r"(second), "=&r"(given)
        : "r"(bytes));
    board_write_number(first);
    board_write(" ");
    board_write_number(second);
    board_write(" ");
    board_write_number(given);
    board_write("\n");
}

#define TWICE(instruction) instruction instruction
#define TAKE ".insn r 0x0b, 0, 2, %0, %1, zero\nnop\n"
#define EIGHT TWICE(TWICE(TWICE(TAKE)))

/* How many cycles more sixteen takes than eight, each with a nop behind it. */
static uint32_t more_cycles(uint32_t bytes) {
    uint32_t answer;
    const uint32_t begin = board_cycles();
    __asm__ volatile(EIGHT : "=&r"(answer) : "r"(bytes));
    const uint32_t middle = board_cycles();
    __asm__ volatile(EIGHT EIGHT : "=&r"(answer) : "r"(bytes));
    return board_cycles() - middle - (middle - begin);
}

int main(void) {
    print_answers(ask);
    ask(2, 0x20000000, UINT32_MAX);
    follow_at_once(16);
    /* The second time the code is in the cache. */
    uint32_t cycles = 0;
    for (int round = 0; round < 2; ++round) {
        ask(4, 0, 0);
        ask(2, 0x20000000, UINT32_MAX);
        cycles = more_cycles(16);
    }
    board_write_number(cycles);
    board_write("\n");
    return 0;
}
