// Says that it begins, and never ends.
#include "firmware/board.h"

int main(void) {
    board_write("begun\n");
    for (;;) __asm__ volatile("");
}
