// The command `malloom`: serves `malloom run`, which stands in front of every run of a user's program, and
// becomes Python's command for all else.
#include <string.h>
#include <unistd.h>

#include "src/native/command/installation.h"
#include "src/native/command/run.h"

// What tells it from other static programs, which no preloaded library reaches: it hands its environment on,
// so that `malloom run -- malloom run -- PROGRAM` works.
[[gnu::used, gnu::retain, gnu::section(".malloom.command")]] static const char mark[] = "malloom";

int main(int count, char** words) {
    using namespace malloom::command;
    if (count > 1 && strcmp(words[1], "run") == 0) {
        const int status = run(words + 2, environ);
        if (status != for_python) return status;
    }
    return become_python(words, environ);
}
