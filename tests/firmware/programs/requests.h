// Requests of the data file to a unit behind custom-0, as programs of tests ask it: words of opcode, first
// and second operand. Each answer is printed.
#ifndef MALLOOM_TESTS_FIRMWARE_REQUESTS_H
#define MALLOOM_TESTS_FIRMWARE_REQUESTS_H

#include "firmware/board.h"

#define ASK(funct3, funct7, first, second)                                    \
    ({                                                                        \
        uint32_t answer;                                                      \
        __asm__ volatile(".insn r 0x0b, " #funct3 ", " #funct7 ", %0, %1, %2" \
                         : "=r"(answer)                                       \
                         : "r"(first), "r"(second));                          \
        answer;                                                               \
    })

/* A function that asks with funct3 0 to 7, for each of which an instruction has to be made. */
#define DEFINE_ASK(name, funct7)                                             \
    static uint32_t name(uint32_t funct3, uint32_t first, uint32_t second) { \
        switch (funct3) {                                                    \
            case 0:                                                          \
                return ASK(0, funct7, first, second);                        \
            case 1:                                                          \
                return ASK(1, funct7, first, second);                        \
            case 2:                                                          \
                return ASK(2, funct7, first, second);                        \
            case 3:                                                          \
                return ASK(3, funct7, first, second);                        \
            case 4:                                                          \
                return ASK(4, funct7, first, second);                        \
            case 5:                                                          \
                return ASK(5, funct7, first, second);                        \
            case 6:                                                          \
                return ASK(6, funct7, first, second);                        \
            default:                                                         \
                return ASK(7, funct7, first, second);                        \
        }                                                                    \
    }

static inline void print_answers(uint32_t (*ask)(uint32_t opcode, uint32_t first, uint32_t second)) {
    const struct board_range data = board_data();
    const uint32_t* const words = (const uint32_t*)data.begin;
    for (size_t word = 0; word + 2 < data.bytes / sizeof *words; word += 3) {
        board_write_number(ask(words[word], words[word + 1], words[word + 2]));
        board_write("\n");
    }
}

#endif
