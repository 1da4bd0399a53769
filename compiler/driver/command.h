// The command that does what the driver was asked for.
#pragma once

#include <string>

#include "compiler/driver/invocation.h"
#include "compiler/driver/own_options.h"

namespace malloom::driver {

/// What stands before the user's own arguments. lld takes inputs in any order, so what is linked in may too.
Arguments added_arguments(const Invocation& invocation, const OwnOptions& own, const std::string& clang);

/// What stands behind them: mimalloc in the place of the C library's malloc, where that is asked for. Behind,
/// because a malloc of the program's own, or of a library that it names, comes first.
Arguments last_arguments(const Invocation& invocation, const OwnOptions& own);

/// The arguments, with questions for the tools that handle objects answered by those that know bitcode.
Arguments with_bitcode_tools(Arguments arguments);

}  // namespace malloom::driver
