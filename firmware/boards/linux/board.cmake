# A process under Linux: of the machine that it is built on, or of another processor, under qemu-user.
target_sources(malloom_board PRIVATE boards/linux/board.c)
target_link_options(malloom_board PUBLIC -static)
