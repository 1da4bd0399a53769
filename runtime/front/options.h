// What the user asked of the run time, through the environment.
#pragma once

namespace malloom::front {

/// The values as the environment holds them; nullptr where unset.
struct Options {
#define OPTION(field, variable, values, meaning) const char* field = nullptr;
#include "runtime/front/options.def"
#undef OPTION

    bool plan_is_wanted() const;
    bool system_is_wanted() const;
    bool statistics_are_wanted() const;
    bool preallocation_is_wanted(bool plan_says) const;
};

/// Reads the environment once, and names on stderr every value that means nothing (which then counts as
/// unset).
Options read_options();

}  // namespace malloom::front
