/* board.h: what a program on bare metal needs of the board that it runs on, and the same under Linux, so that
 * programs are written once. Each folder of boards/ implements it. The program has a `main` without
 * arguments; what it returns, the board exits with. There is no C library, and static constructors do not
 * run. */
#ifndef MALLOOM_FIRMWARE_BOARD_H
#define MALLOOM_FIRMWARE_BOARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* To whoever watches: standard output of the simulator, of the emulator, of the process. */
void board_write(const char* text);
/* In decimal. */
void board_write_number(uint64_t number);

/* Ends the run. The status is 0 for success, at most 123: those above are how a run ends otherwise. */
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void board_exit(int status);

enum {
    BOARD_HUNG = 124,   /* it was ended because it took too long */
    BOARD_FAULTED = 125 /* the processor or the memory refused what it did */
};

/* A clock that runs all the time, modulo 2^32: cycles on the simulated core, ticks of 40 ns on the Cortex-M3
 * board, nanoseconds under Linux. Differences of it are right while they are shorter than one turn. What
 * stands before the call in the program comes before it. */
uint32_t board_cycles(void);

/* Before code runs that was written as data. Also leaves the instruction cache empty where there is one that
 * does not look at what is written. */
void board_flush_instruction_cache(void* begin, size_t bytes);
/* Leaves the data cache empty, where that can be done. Nothing that was written is lost. */
void board_flush_data_cache(void);

struct board_range {
    uint8_t* begin;
    size_t bytes;
};

/* Memory that neither the program nor its stack uses; what is written into it can run. Aligned to 64. */
struct board_range board_memory(void);
/* The file that was given with --data. Empty where none was. Aligned to 16. */
struct board_range board_data(void);

#ifdef __cplusplus
}
#endif

#endif
