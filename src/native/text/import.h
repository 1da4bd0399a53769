// A profile from its text form, chunk by chunk.
#pragma once

#include <string>

namespace malloom::native {

/// Reads the text form from `input` and writes the profile to `output` (file descriptors). Memory: one chunk.
/// Returns what is wrong, with the number of the line, or what went wrong with reading or writing; empty when
/// nothing did.
std::string import_text(int input, int output);

}  // namespace malloom::native
