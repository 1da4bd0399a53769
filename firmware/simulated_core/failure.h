// How the simulator ends where the program that it runs did not end by itself.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <string>

namespace malloom::simulated_core {

/// Beside what the program ends with. The last two are board.h's.
enum Status : int { bad_use = 2, hung = 124, faulted = 125 };

/// Prints one line, and ends. What the program has printed stays before it.
[[noreturn]] inline void fail(Status status, const std::string& problem) {
    fflush(stdout);
    fprintf(stderr, "malloom-core: %s\n", problem.c_str());
    exit(status);
}

}  // namespace malloom::simulated_core
