# Arm's Cortex-M3 without an operating system: Thumb-2.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(malloom_processor "-mcpu=cortex-m3 -mthumb")
set(CMAKE_C_FLAGS_INIT ${malloom_processor})
set(CMAKE_CXX_FLAGS_INIT ${malloom_processor})
set(CMAKE_ASM_FLAGS_INIT ${malloom_processor})
# There is no C library to link a trial program with.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
