// clang's options, as far as one must know them to find the inputs among the arguments.
#pragma once

#include <string_view>

namespace malloom::driver {

/// Whether the argument after this one is its value.
bool takes_next(std::string_view option);

/// Whether with this option clang makes no part of a program: it prints, checks, or writes text.
bool ends_before_object(std::string_view option);

/// Whether this option alone makes clang answer something, without an input.
bool is_question(std::string_view option);

}  // namespace malloom::driver
