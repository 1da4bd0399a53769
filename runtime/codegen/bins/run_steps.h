// How machines add constants around the shift of a run.
#pragma once

#include <stdint.h>

#include "runtime/codegen/bins/instruction_set.h"

namespace malloom::codegen::bins {

/// ((size + before) >> shift) + after.
struct AscendingSteps {
    uint32_t before;
    uint32_t after;
};

/// The cheaper of one addition before the shift, and of smaller ones before and after it.
inline AscendingSteps ascending_steps(const Run& run, unsigned (*cost_of_adding)(uint32_t)) {
    const auto after = static_cast<uint32_t>(static_cast<int32_t>(run.offset) >> run.shift);
    const uint32_t before = run.offset - (after << run.shift);
    const bool is_divided = cost_of_adding(before) + cost_of_adding(after) < cost_of_adding(run.offset);
    return is_divided ? AscendingSteps{before, after} : AscendingSteps{run.offset, 0};
}

/// Whether a descending run is constant - (size >> shift) as well; the constant is offset >> shift then.
inline bool descends_after_shift(const Run& run) {
    return (run.offset + 1) >> run.shift << run.shift == run.offset + 1;
}

}  // namespace malloom::codegen::bins
