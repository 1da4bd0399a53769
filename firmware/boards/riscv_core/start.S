# The simulated core's first instructions: registers, then memory, then main.
    .section .text.start, "ax"
    .globl board_start
    .type board_start, @function
board_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, board_stack_end
    la tp, board_thread
    la t0, board_trap
    csrw mtvec, t0
    # Without it custom instructions are illegal. The register is also the mask of external interrupts, of which
    # there are none.
    li t0, 0x80000000
    csrs 0xbc0, t0
    la t0, board_zero_begin
    la t1, board_zero_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  call main
    call board_exit

# Nothing is ever resumed: what comes here has gone wrong. The stack may be what went wrong, so it begins anew.
    .align 2
    .type board_trap, @function
board_trap:
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    la sp, board_stack_end
    j board_fault
