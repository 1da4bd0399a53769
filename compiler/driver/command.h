// The command that does what the driver was asked for.
#pragma once

#include <string>

#include "compiler/driver/invocation.h"
#include "compiler/driver/own_options.h"

namespace malloom::driver {

/// What stands before the user's own arguments. lld takes inputs in any order, so what is linked in may too.
Arguments added_arguments(const Invocation& invocation, const OwnOptions& own, const std::string& clang);

/// The arguments, with questions for the tools that handle objects answered by those that know bitcode.
Arguments with_bitcode_tools(Arguments arguments);

}  // namespace malloom::driver
