// Prints the length and the sum of the bytes of the file that it is given.
#include "firmware/board.h"

int main(void) {
    const struct board_range data = board_data();
    uint32_t sum = 0;
    for (size_t index = 0; index < data.bytes; ++index) sum += data.begin[index];
    board_write_number(data.bytes);
    board_write(" ");
    board_write_number(sum);
    board_write("\n");
    return (uintptr_t)data.begin % 16 == 0 ? 0 : 1;
}
