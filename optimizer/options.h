// What `malloom run --dynamic` asks of the client: its switches and the paper's constants.
#pragma once

#include <stdint.h>

namespace malloom::optimizer {

struct Options {
#define CLIENT_OPTION(name, default_value, meaning) uint64_t name = default_value;
#include "optimizer/options.def"
#undef CLIENT_OPTION
};

}  // namespace malloom::optimizer
