// The program that is to run, as src/malloom/launch/program.py finds it.
#pragma once

#include <optional>
#include <string>

namespace malloom::command {

struct Program {
    std::string path;  ///< what to exec, spelled as the user does
};

/// None where there is no such program, or something keeps a preloaded library from its heap: Python says
/// what.
std::optional<Program> find_reachable(const std::string& name);

}  // namespace malloom::command
