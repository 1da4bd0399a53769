// Whether mimalloc is linked in the place of the C library's malloc.
#pragma once

#include "compiler/driver/invocation.h"
#include "compiler/driver/own_options.h"

namespace malloom::driver {

/// As the command line says, else as the choice does that decides over the link. Warns where what was asked
/// for cannot be, and ends with a line that says so where a sanitizer has a malloc of its own.
bool links_mimalloc(const Invocation& invocation, const OwnOptions& own);

}  // namespace malloom::driver
