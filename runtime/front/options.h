// What the user asked of the run time, through the environment.
#pragma once

#include <stdint.h>

#include "runtime/platform/settings.h"

namespace malloom::front {

/// The values as the settings hold them; nullptr where unset.
struct Options {
#define OPTION(name, values, meaning) const char* name = nullptr;
#include "runtime/front/options.def"
#undef OPTION

    bool plan_is_wanted() const;
    bool pools_are_wanted() const;
    bool system_is_wanted(bool plan_says) const;
    bool fallback_huge_pages_are_wanted(bool plan_says) const;
    /// As MimallocTuning has it; `plan_says` as PlanHeader has it.
    long purge_delay_wanted(uint64_t plan_says) const;
    /// As FallbackHeap::choose has it.
    size_t fallback_bytes_wanted() const;
    bool statistics_are_wanted() const;
    /// Whether they are for machines.
    bool statistics_are_json() const;
    bool guards_are_wanted() const;
    bool preallocation_is_wanted(bool plan_says) const;
    bool huge_pages_are_wanted(bool plan_says) const;
    bool packing_is_wanted(bool plan_says) const;
    bool pools_are_wanted_in_mimalloc(bool plan_says) const;
    bool tokens_are_wanted(bool plan_says) const;
    bool colocation_is_wanted() const;
    bool prefetches_are_wanted() const;
};

/// The options among the settings, which must outlive them. Names on stderr every value that means nothing
/// (which then counts as unset), and what else is ignored (settings_check.h).
Options read_options(const platform::Settings& settings);

}  // namespace malloom::front
