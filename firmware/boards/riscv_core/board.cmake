# The simulated RISC-V core (firmware/simulated_core).
target_sources(malloom_board PRIVATE boards/riscv_core/start.S boards/riscv_core/board.c
    boards/riscv_core/cores.c)
malloom_bare_metal(boards/riscv_core/memory.ld)
target_link_options(malloom_board PUBLIC -L${CMAKE_CURRENT_SOURCE_DIR}/boards/riscv_core)
