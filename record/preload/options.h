// The recorder's settings, read once from the environment (options.def).
#pragma once

#include <stdint.h>

namespace malloom::record {

/// Which accesses are recorded. All but the annotated ones are another library's; the profile says the mode.
enum class AccessMode : uint8_t { none, annotated, full, sampled };

/// The mode's word, as the setting `accesses` and the profile have it.
const char* name_of(AccessMode mode);

struct Options {
    /// Absolute path of the profile (the setting record), a copy that stays; nullptr: nothing is recorded.
    const char* profile = nullptr;
#define OPTION(field, name, otherwise, meaning) uint64_t field = otherwise;
#include "record/preload/options.def"
#undef OPTION
    AccessMode accesses = AccessMode::none;
};

/// Reads the environment; values out of range become the defaults. Never allocates.
Options read_options();

}  // namespace malloom::record
