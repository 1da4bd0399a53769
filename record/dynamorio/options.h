// What the launcher asks of the client.
#pragma once

#include <stdint.h>

namespace malloom::accesses {

struct Options {
#define CLIENT_OPTION(name, default_value, meaning) uint64_t name = default_value;
#include "record/dynamorio/options.def"
#undef CLIENT_OPTION

    bool samples() const { return burst != 0 && gap != 0; }
};

/// Reads "name=value" arguments; an unknown one or a bad value ends the program with one line on stderr.
Options parse_options(int count, const char** arguments);

}  // namespace malloom::accesses
