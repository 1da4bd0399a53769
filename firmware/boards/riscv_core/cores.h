/* cores.h: what a program on several simulated cores needs beside board.h. Each core runs the whole program,
 * in memory of its own: a variable is another one on each core. What they share has no place in the program,
 * but addresses of its own (malloom-core's options --cores and --shared). */
#ifndef MALLOOM_FIRMWARE_BOARDS_RISCV_CORE_CORES_H
#define MALLOOM_FIRMWARE_BOARDS_RISCV_CORE_CORES_H

#include "firmware/board.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of this core, from 0 on, and how many there are. */
unsigned board_core(void);
unsigned board_core_count(void);

/* Memory that all cores see alike, since no data cache has it; all zero at first. What is written into it can
 * run, and is in the caches of instructions then: each core that runs it has to flush its own. */
struct board_range board_shared_memory(void);

/* Locks, none of which is taken at first. Whoever has one may be any core. */
enum { BOARD_LOCKS = 64 };
/* Returns when this core has it. */
void board_lock(unsigned lock);
void board_unlock(unsigned lock);
/* Whether this core has it now. */
int board_try_lock(unsigned lock);

#ifdef __cplusplus
}
#endif

#endif
