// `malloom run` without Python, as src/malloom/commands/run.py has it. What is refused, and what needs more
// than this knows, is left to Python, which then says so: here only what goes well is decided.
#pragma once

namespace malloom::command {

/// Becomes the program, or prints its environment and returns 0. Returns `for_python` where Python has to do
/// it, with nothing done. `words` are those after `run`, `environment` is malloom's own; both end with a
/// null.
int run(char** words, char** environment);

inline constexpr int for_python = -1;

}  // namespace malloom::command
