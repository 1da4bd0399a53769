/* Numbers as text, the same on every board. */
#include "firmware/board.h"

void board_write_number(uint64_t number) {
    char text[21]; /* of 2^64 and the end */
    char* first = text + sizeof text - 1;
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    board_write(first);
}
