// Where `malloom run --save-plan` has a plan written, as src/malloom/output_file.py checks it.
#pragma once

#include <optional>
#include <string>

namespace malloom::command {

/// The file as an absolute path without symbolic links. None where no plan can be written there, or would
/// replace a file of another kind: Python says so.
std::optional<std::string> saved_plan(const char* path);

}  // namespace malloom::command
