// The recorder's settings, read once from the environment (options.def).
#pragma once

#include <stdint.h>

namespace malloom::record {

struct Options {
    /// Absolute path of the profile (the setting record), a copy that stays; nullptr: nothing is recorded.
    const char* profile = nullptr;
#define OPTION(field, name, otherwise, meaning) uint64_t field = otherwise;
#include "record/preload/options.def"
#undef OPTION
};

/// Reads the environment; values out of range become the defaults. Never allocates.
Options read_options();

}  // namespace malloom::record
