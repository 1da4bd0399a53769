# Arm's MPS2 board with a Cortex-M3, which QEMU emulates.
target_sources(malloom_board PRIVATE boards/mps2_an385/start.c boards/mps2_an385/board.c)
malloom_bare_metal(boards/mps2_an385/memory.ld)
