# What a timer's interrupt enters. The registers of what it interrupts lie on its stack meanwhile: mepc, then each at
# its number. on_timer has the stack of what goes on instead. A trap that is no interrupt is the board's.
    .macro for_each_register instruction
    .irp number, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \instruction x\number, 4 * \number(sp)
    .endr
    .endm

    .text
    .align 2
    .globl timer_entry
    .type timer_entry, @function
timer_entry:
    addi sp, sp, -128
    for_each_register sw
    csrr t0, mcause
    bgez t0, 1f
    csrr t0, mepc
    sw t0, 0(sp)
    mv a0, sp
    call on_timer
    mv sp, a0
    lw t0, 0(sp)
    csrw mepc, t0
    for_each_register lw
    addi sp, sp, 128
    mret
1:  lw t0, trap_of_board
    jr t0
