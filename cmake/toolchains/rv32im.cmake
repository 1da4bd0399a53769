# RISC-V of 32 bits without an operating system. By the older manual counters and fence.i belong to every processor, so
# that RV32IM alone has a library of the compiler's.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
set(malloom_processor "-march=rv32im -misa-spec=2.2 -mabi=ilp32")
set(CMAKE_C_FLAGS_INIT ${malloom_processor})
set(CMAKE_CXX_FLAGS_INIT ${malloom_processor})
set(CMAKE_ASM_FLAGS_INIT ${malloom_processor})
# There is no C library to link a trial program with.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
