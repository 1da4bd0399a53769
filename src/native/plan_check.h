// Whether a file is a plan that the run time will take, its body included.
#pragma once

#include <string>

namespace malloom::native {

/// Empty where `path` is a good plan, else what is wrong with it, to stand after the path. Checks lengths,
/// version, both checksums, and that every section lies in the file. Throws std::system_error where the file
/// cannot be read.
std::string plan_problem(const std::string& path);

}  // namespace malloom::native
