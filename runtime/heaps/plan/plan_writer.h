// A plan that a run writes: what it has learned, and what the plan that it ran with says besides.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/plan.h"
#include "runtime/heaps/plan/plan_file.h"

namespace malloom::heaps {

/// What was learned. All pointers are the caller's, and are only read.
struct LearnedPlan {
    const char* strategy = "pools";  ///< its name in the header, where there is no `base`
    uint64_t program = 0;            ///< module hash of the executable
    uint32_t depth = 1;              ///< frames of the deepest context
    bool has_tokens = false;         ///< some contexts are compilers' tokens
    const PlanFile* base = nullptr;  ///< the plan that the program ran with, if any: what it says stays
    const formats::plan::PlanContext* contexts =
        nullptr;  ///< where `base` has one too, its slots and group stay
    size_t contexts_count = 0;
    const formats::plan::PlanPrefetch* prefetches =
        nullptr;  ///< in place of those of `base`, if there are any
    size_t prefetches_count = 0;
};

/// Writes the plan to a file beside `path` (absolute) and renames it: whoever opens `path` sees a whole plan,
/// old or new. nullptr, or in a few words what went wrong; `path` is then as it was, and stays so where it is
/// something else than a plan. Allocates its pages from the operating system and gives them back; keeps
/// errno.
const char* write_plan(const LearnedPlan& learned, const char* path);

}  // namespace malloom::heaps
