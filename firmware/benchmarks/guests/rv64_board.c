/* A board for RV64 under qemu-user that needs no C library, so that nothing but the guest is counted: the
 * data is what standard input has. */
#include "firmware/board.h"

enum { call_read = 63, call_write = 64, call_exit = 93, input = 0, output = 1 };

static _Alignas(64) uint8_t board_data_bytes[16 << 20];
static _Alignas(64) uint8_t board_memory_bytes[64 << 20];

static long board_call(long number, long first, const void* second, size_t third) {
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = first;
    register const void* a1 __asm__("a1") = second;
    register size_t a2 __asm__("a2") = third;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
    return a0;
}

void board_write(const char* text) {
    size_t bytes = 0;
    while (text[bytes] != '\0') ++bytes;
    board_call(call_write, output, text, bytes);
}

_Noreturn void board_exit(int status) {
    for (;;) board_call(call_exit, status, NULL, 0);
}

struct board_range board_memory(void) {
    const struct board_range memory = {board_memory_bytes, sizeof board_memory_bytes};
    return memory;
}

struct board_range board_data(void) {
    struct board_range data = {board_data_bytes, 0};
    long bytes;
    do {
        bytes = board_call(call_read, input, data.begin + data.bytes, sizeof board_data_bytes - data.bytes);
        if (bytes > 0) data.bytes += (size_t)bytes;
    } while (bytes > 0);
    return data;
}

int main(void);

void board_begin(void) {
    board_exit(main());
}

__asm__(
    ".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "    .option push\n"
    "    .option norelax\n"
    "    la gp, __global_pointer$\n"
    "    .option pop\n"
    "    j board_begin\n");
