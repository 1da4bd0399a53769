// A plan that a program is to run with, judged by the run time's own code.
#pragma once

#include <optional>
#include <string>

#include "src/native/command/arguments.h"
#include "src/native/command/record.h"

namespace malloom::command {

struct OpenedPlan {
    std::string path;                        ///< absolute, without symbolic links
    Fallback fallback = Fallback::mimalloc;  ///< what it wants to serve what it does not place
    bool says_nothing = false;               ///< the fallback alone is as good
    Record record;
};

/// The plan at `path`. None where it is missing, damaged or of another version, or its record is no JSON:
/// Python says so.
std::optional<OpenedPlan> open_plan(const char* path);

}  // namespace malloom::command
