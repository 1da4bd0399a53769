// Asks the core's chunk unit what the data file says, and prints each answer: words of opcode, first and
// second operand. The opcode is funct3, which an instruction has to be made for; 8 and more
// have a funct7 of 1 and of 2. Last it prints the cycles that eight finds add.
#include "firmware/board.h"

#define ASK(funct3, funct7, first, second)                                    \
    ({                                                                        \
        uint32_t answer;                                                      \
        __asm__ volatile(".insn r 0x0b, " #funct3 ", " #funct7 ", %0, %1, %2" \
                         : "=r"(answer)                                       \
                         : "r"(first), "r"(second));                          \
        answer;                                                               \
    })

static uint32_t ask(uint32_t opcode, uint32_t first, uint32_t second) {
    switch (opcode) {
        case 0:
            return ASK(0, 0, first, second);
        case 1:
            return ASK(1, 0, first, second);
        case 2:
            return ASK(2, 0, first, second);
        case 3:
            return ASK(3, 0, first, second);
        case 4:
            return ASK(4, 0, first, second);
        case 5:
            return ASK(5, 0, first, second);
        case 6:
            return ASK(6, 0, first, second);
        case 7:
            return ASK(7, 0, first, second);
        case 8:
            return ASK(0, 1, first, second);
        default:
            return ASK(0, 2, first, second);
    }
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
    const struct board_range data = board_data();
    const uint32_t* const words = (const uint32_t*)data.begin;
    for (size_t word = 0; word + 2 < data.bytes / sizeof *words; word += 3) {
        board_write_number(ask(words[word], words[word + 1], words[word + 2]));
        board_write("\n");
    }
    /* The second time the code is in the cache. */
    uint32_t cycles = 0;
    for (int round = 0; round < 2; ++round) cycles = more_cycles();
    board_write_number(cycles);
    board_write("\n");
    return 0;
}
