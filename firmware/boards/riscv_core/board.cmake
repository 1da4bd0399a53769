# The simulated RISC-V core (firmware/simulated_core).
target_sources(malloom_board PRIVATE boards/riscv_core/start.S boards/riscv_core/board.c)
malloom_bare_metal(boards/riscv_core/memory.ld)
