// How the driver ends where it cannot go on.
#pragma once

#include <string_view>

namespace malloom::driver {

enum Status : int { failed = 1, bad_use = 2 };

/// What failures and warnings begin with.
inline const char* program_name = "malloom-cc";

/// Prints one line, the problem and what to do about it, and ends.
[[noreturn]] void fail(Status status, std::string_view problem, std::string_view remedy);

/// Prints one line, and goes on.
void warn(std::string_view problem);

}  // namespace malloom::driver
