// The environment, read without allocating, so that it works inside the first malloc of a process.
#pragma once

#include <stdint.h>

namespace malloom::platform {

/// Value of an environment variable, owned by the environment, or nullptr. Not safe against a concurrent
/// setenv; read everything once at start.
const char* environment_value(const char* name);

/// True when `text` is not null and equals `expected`.
bool equals(const char* text, const char* expected);

/// A decimal number that fills the whole text; `otherwise` when the text is null, empty, too large or no
/// number.
uint64_t decimal_value(const char* text, uint64_t otherwise);

}  // namespace malloom::platform
