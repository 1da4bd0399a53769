/* The first instructions on the Cortex-M3 board: the table of vectors, memory, then main. */
#include <stdint.h>

#include "firmware/board.h"

extern uint32_t board_stack_end[];
extern uint32_t board_data_begin[], board_data_end[], board_zero_begin[], board_zero_end[];
extern const uint32_t board_data_image[];

int main(void);
void board_open_devices(void);

_Noreturn void board_start(void) {
    const uint32_t* from = board_data_image;
    for (uint32_t* to = board_data_begin; to < board_data_end; ++to) *to = *from++;
    for (uint32_t* to = board_zero_begin; to < board_zero_end; ++to) *to = 0;
    board_open_devices();
    board_exit(main());
}

/* The processor has put eight words on the stack, the seventh of them the address. Where the stack was what
 * went wrong, reading them faults again, and the emulator ends. */
_Noreturn void board_fault(const uint32_t* stacked) {
    const volatile uint32_t* const fault_status = (const volatile uint32_t*)0xe000ed28u;
    board_write("fault ");
    board_write_number(*fault_status);
    board_write(" at ");
    board_write_number(stacked[6]);
    board_write("\n");
    board_exit(BOARD_FAULTED);
}

__attribute__((naked)) static void take_fault(void) {
    __asm__ volatile("mov r0, sp\n b board_fault");
}

typedef void (*vector)(void);

/* What may come: all kinds of faults. No interrupt is ever enabled. */
__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    (vector)board_stack_end, board_start, take_fault, take_fault, take_fault, take_fault, take_fault,
};
