// Where the installation of malloom lies, of which this program is the command.
#pragma once

#include <string>

namespace malloom::command {

/// The folder that holds the environment of which this is a command; Python's sys.prefix.
std::string environment_folder();

/// The run time, libmalloom.so, as src/malloom/native_files.py finds it; empty where it is not there.
std::string run_time_library();

/// Becomes the command of Python, malloom-python in the same folder, with this command's words and
/// environment. Returns only where that cannot be, after one line on standard error: the exit status.
int become_python(char** words, char** environment);

}  // namespace malloom::command
