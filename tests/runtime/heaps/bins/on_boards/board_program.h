// How a test of the bin heap begins and ends on a board: memory of the board's, a line that says what was
// done.
#pragma once

#include "firmware/board.h"
#include "tests/runtime/heaps/bins/on_boards/expectations.h"
#include "tests/runtime/heaps/bins/on_boards/surroundings.h"

namespace malloom::tests::on_boards {

/// The board's memory: first what code is written to.
class BoardProgram {
  public:
    BoardProgram() : memory_(board_memory()) {
        if (memory_.bytes < Surroundings::least_code_bytes + Surroundings::least_bytes) {
            board_write("the board has too little memory\n");
            board_exit(1);
        }
    }

    Surroundings surroundings() {
        return {memory_.begin + code_.code.bytes, Surroundings::least_bytes, code_};
    }
    Expectations& expectations() { return expectations_; }
    const CodeMemory& code() const { return code_; }

    static void say(size_t number, const char* what) {
        board_write_number(number);
        board_write(what);
    }

    /// The exit status. Says how much was looked at, or what did not hold.
    int end() const {
        if (expectations_.hold()) {
            say(expectations_.count(), " expectations hold\n");
            return 0;
        }
        board_write(expectations_.wrong_part());
        board_write(": it does not hold that ");
        board_write(expectations_.wrong());
        board_write(" (");
        say(expectations_.about(), ")\n");
        return 1;
    }

  private:
    board_range memory_;
    CodeMemory code_ = {memory_.begin, Surroundings::least_code_bytes, board_flush_instruction_cache};
    Expectations expectations_;
};

}  // namespace malloom::tests::on_boards
