// Asks the core's window unit what the data file says, and prints each answer: words of opcode, first and
// second operand. The opcode is funct3, which an instruction has to be made for; that of 8 has another
// funct7. Then it prints what two takes and a give answer that follow one another at once, and last the
// cycles that eight takes add.
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
            return ASK(0, 2, first, second);
        case 1:
            return ASK(1, 2, first, second);
        case 2:
            return ASK(2, 2, first, second);
        case 3:
            return ASK(3, 2, first, second);
        case 4:
            return ASK(4, 2, first, second);
        case 5:
            return ASK(5, 2, first, second);
        case 6:
            return ASK(6, 2, first, second);
        case 7:
            return ASK(7, 2, first, second);
        default:
            return ASK(0, 1, first, second);
    }
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
    const struct board_range data = board_data();
    const uint32_t* const words = (const uint32_t*)data.begin;
    for (size_t word = 0; word + 2 < data.bytes / sizeof *words; word += 3) {
        board_write_number(ask(words[word], words[word + 1], words[word + 2]));
        board_write("\n");
    }
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
