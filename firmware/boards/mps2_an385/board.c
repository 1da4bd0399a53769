/* The board support of Arm's MPS2 with a Cortex-M3 (application note 385), as QEMU emulates it: a serial port
 * for output, a timer of 25 MHz for a clock, semihosting to end. */
#include "firmware/board.h"

struct timer {
    volatile uint32_t control, value, reload, interrupt;
};

struct serial_port {
    volatile uint32_t data, state, control, interrupt, divider;
};

enum { timer_enabled = 1, sending_enabled = 1, sending_full = 1 };

static struct timer* const ticking = (struct timer*)0x40000000u;
static struct serial_port* const port = (struct serial_port*)0x40004000u;

void board_open_devices(void) {
    port->divider = 16;
    port->control = sending_enabled;
    ticking->reload = UINT32_MAX;
    ticking->value = UINT32_MAX;
    ticking->control = timer_enabled;
}

void board_write(const char* text) {
    for (; *text != '\0'; ++text) {
        while ((port->state & sending_full) != 0) {
        }
        port->data = (uint8_t)*text;
    }
}

_Noreturn void board_exit(int status) {
    enum { exit_extended = 0x20, application_exit = 0x20026 };
    const uint32_t reason[2] = {application_exit, (uint32_t)status};
    register uint32_t operation __asm__("r0") = exit_extended;
    register const uint32_t* argument __asm__("r1") = reason;
    for (;;) __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(argument) : "memory");
}

/* It counts down. */
uint32_t board_cycles(void) {
    __asm__ volatile("" : : : "memory");
    return UINT32_MAX - ticking->value;
}

/* The Cortex-M3 has no caches; what it has prefetched is forgotten. */
void board_flush_instruction_cache(void* begin, size_t bytes) {
    (void)begin;
    (void)bytes;
    __asm__ volatile("dsb\n isb" : : : "memory");
}

void board_flush_data_cache(void) {}

extern uint8_t board_memory_begin[], board_memory_end[];

struct board_range board_memory(void) {
    const struct board_range memory = {board_memory_begin,
                                       (size_t)((uintptr_t)board_memory_end - (uintptr_t)board_memory_begin)};
    return memory;
}

/* run.sh has the emulator put the length before the file. */
struct board_range board_data(void) {
    const volatile uint32_t* const length = (const volatile uint32_t*)0x21000000u;
    const struct board_range data = {(uint8_t*)0x21000010u, *length};
    return data;
}
