// What `malloom run --dynamic` asks of the client: its switches and the paper's constants.
#pragma once

#include <stdint.h>

namespace malloom::optimizer {

struct Options {
#define CLIENT_OPTION(name, default_value, meaning) uint64_t name = default_value;
#include "optimizer/options.def"
#undef CLIENT_OPTION
};

/// Reads "name=value" arguments; an unknown one or a bad value ends the program with one line on stderr.
Options parse_options(int count, const char** arguments);

}  // namespace malloom::optimizer
