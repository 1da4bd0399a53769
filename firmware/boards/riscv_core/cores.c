/* What the simulated cores share. Whatever one writes and reads of it goes over one bus, in the order of the
 * program, so that a lock needs no further barrier. */
#include "firmware/boards/riscv_core/cores.h"

#include "firmware/simulated_core/addresses.h"

_Static_assert(BOARD_LOCKS == CORE_LOCK_COUNT, "the simulator has another number of locks");

static volatile uint32_t* word_at(uintptr_t address) {
    return (volatile uint32_t*)address;
}

static volatile uint32_t* word_of(unsigned lock) {
    return word_at(CORE_LOCKS) + lock;
}

unsigned board_core(void) {
    return *word_at(CORE_NUMBER);
}

unsigned board_core_count(void) {
    return *word_at(CORE_COUNT);
}

struct board_range board_shared_memory(void) {
    const struct board_range memory = {(uint8_t*)(uintptr_t)CORE_SHARED, *word_at(CORE_SHARED_BYTES)};
    return memory;
}

int board_try_lock(unsigned lock) {
    const uint32_t was_free = *word_of(lock);
    __asm__ volatile("" : : : "memory");
    return (int)was_free;
}

/* Who waits leaves the bus to the others meanwhile. */
void board_lock(unsigned lock) {
    while (!board_try_lock(lock)) {
        for (unsigned pause = 0; pause < 8; ++pause) __asm__ volatile("");
    }
}

void board_unlock(unsigned lock) {
    __asm__ volatile("" : : : "memory");
    *word_of(lock) = 1;
}
