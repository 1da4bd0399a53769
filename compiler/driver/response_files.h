// Arguments that stand in files.
#pragma once

#include <string>
#include <vector>

namespace malloom::driver {

using Arguments = std::vector<std::string>;

/// The arguments, each @FILE replaced by the words of the file, as clang reads them: separated by white
/// space, quoted by ' or ", a backslash before any character. What clang would not read stays as it is, for
/// clang to complain about.
Arguments expanded(const Arguments& arguments);

}  // namespace malloom::driver
