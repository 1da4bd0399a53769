// Lines of names and numbers, which the suite reads.
#pragma once

#include <stdint.h>

#include "firmware/board.h"

namespace malloom::bench::bins {

inline void write_field(const char* name, uint64_t number) {
    board_write(name);
    board_write(" ");
    board_write_number(number);
    board_write(" ");
}

inline void end_line() {
    board_write("\n");
}

}  // namespace malloom::bench::bins
