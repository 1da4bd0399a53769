/* The board support of the simulated core. */
#include "firmware/board.h"

#include "firmware/simulated_core/addresses.h"

static volatile uint32_t* device(uintptr_t address) {
    return (volatile uint32_t*)address;
}

void board_write(const char* text) {
    for (; *text != '\0'; ++text) *device(CORE_OUTPUT) = (uint8_t)*text;
}

_Noreturn void board_exit(int status) {
    for (;;) *device(CORE_EXIT) = (uint32_t)status;
}

static void write_hexadecimal(uint32_t word) {
    char text[9];
    for (unsigned digit = 0; digit < 8; ++digit) text[7 - digit] = "0123456789abcdef"[word >> 4 * digit & 15];
    text[8] = '\0';
    board_write("0x");
    board_write(text);
}

/* Start-up code jumps here with what the processor says of a trap. */
_Noreturn void board_fault(uint32_t cause, uint32_t address, uint32_t value) {
    board_write("trap ");
    board_write_number(cause);
    board_write(" at ");
    write_hexadecimal(address);
    board_write(", value ");
    write_hexadecimal(value);
    board_write("\n");
    board_exit(BOARD_FAULTED);
}

/* In one line of the instruction cache, so that it costs the same wherever it is linked to. */
__attribute__((aligned(32))) uint32_t board_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles) : : "memory");
    return cycles;
}

/* Writes go to memory at once, but some may still wait for the bus that instructions do not come over. What
 * is read of a device is read after they are done. Then the cache forgets all of its lines; up to three
 * instructions are already past it. */
__attribute__((noinline)) void board_flush_instruction_cache(void* begin, size_t bytes) {
    (void)begin;
    (void)bytes;
    __asm__ volatile("" : : : "memory");
    const uint32_t word = *device(CORE_MEMORY_END);
    __asm__ volatile("bne %0, zero, 1f\n1: fence.i\n nop\n nop\n nop" : : "r"(word) : "memory");
}

/* An instruction of this core's own. It is not asked for addresses. */
void board_flush_data_cache(void) {
    __asm__ volatile(".word 0x0000500f" : : : "memory");
}

extern uint8_t board_memory_begin[];

struct board_range board_memory(void) {
    const struct board_range memory = {board_memory_begin,
                                       *device(CORE_MEMORY_END) - (uintptr_t)board_memory_begin};
    return memory;
}

struct board_range board_data(void) {
    const struct board_range data = {(uint8_t*)(uintptr_t)*device(CORE_DATA_BEGIN), *device(CORE_DATA_BYTES)};
    return data;
}
