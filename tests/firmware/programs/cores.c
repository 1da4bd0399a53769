// Cores that add to the same words, with a lock and without, and to a variable that each has of its own.
#include "firmware/boards/riscv_core/cores.h"

enum { rounds = 200, lock = 3 };

struct sums {
    volatile uint32_t locked;
    volatile uint32_t unlocked;
    volatile uint32_t own;
    volatile uint32_t ended;
};

static uint32_t own;

static void show(const char* what, uint32_t number) {
    board_write(what);
    board_write_number(number);
}

int main(void) {
    struct sums* const sums = (struct sums*)board_shared_memory().begin;
    for (unsigned round = 0; round < rounds; ++round) {
        board_lock(lock);
        ++sums->locked;
        board_unlock(lock);
        own += board_core() + 1;
    }
    for (unsigned round = 0; round < rounds; ++round) ++sums->unlocked;
    board_lock(lock);
    sums->own += own;
    ++sums->ended;
    board_unlock(lock);
    if (board_core() != 0) return 0;
    while (sums->ended != board_core_count()) {
    }
    show("cores ", board_core_count());
    show(" locked ", sums->locked);
    show(" unlocked ", sums->unlocked);
    show(" own ", sums->own);
    board_write("\n");
    return 0;
}
