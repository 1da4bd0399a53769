// Writes functions and calls them, each over the one before: prints what the second returns before the
// instruction cache is flushed, and what after. Also of a function that was in no cache yet.
#include "firmware/board.h"

// A function that returns a number below 128.
static size_t write_function(uint8_t* code, uint8_t number) {
#if defined(__riscv)
    uint32_t* const words = (uint32_t*)code;
    words[0] = 0x00000513u | (uint32_t)number << 20;  // addi a0, zero, number
    words[1] = 0x00008067u;                           // jalr zero, 0(ra)
    return 8;
#elif defined(__thumb__)
    uint16_t* const halves = (uint16_t*)code;
    halves[0] = 0x2000u | number;  // movs r0, #number
    halves[1] = 0x4770u;           // bx lr
    return 4;
#elif defined(__aarch64__)
    uint32_t* const words = (uint32_t*)code;
    words[0] = 0x52800000u | (uint32_t)number << 5;  // movz w0, #number
    words[1] = 0xd65f03c0u;                          // ret
    return 8;
#elif defined(__x86_64__)
    code[0] = 0xb8;  // mov eax, number
    code[1] = number;
    code[2] = code[3] = code[4] = 0;
    code[5] = 0xc3;  // ret
    return 6;
#endif
}

static int call(uint8_t* code) {
#if defined(__thumb__)
    ++code;
#endif
    int (*function)(void) = (int (*)(void))code;
    return function();
}

static void show(const char* what, int number) {
    board_write(what);
    board_write_number((unsigned)number);
    board_write("\n");
}

int main(void) {
    uint8_t* const code = board_memory().begin;
    board_flush_instruction_cache(code, write_function(code, 1));
    show("first: ", call(code));
    const size_t bytes = write_function(code, 2);
    show("before the flush: ", call(code));
    board_flush_instruction_cache(code, bytes);
    show("after the flush: ", call(code));
    board_flush_data_cache();
    board_flush_instruction_cache(code + 4096, write_function(code + 4096, 3));
    show("another: ", call(code + 4096));
    return 0;
}
