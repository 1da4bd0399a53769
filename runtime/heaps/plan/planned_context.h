// What a plan holds for whoever asks.
#pragma once

#include "formats/plan.h"
#include "runtime/heaps/heap.h"

namespace malloom::heaps {

/// Of a context, or of a thread where matching is by sequence. Lives as long as the heap.
struct PlannedContext {
    uint64_t next = 0;      ///< address of the slot of the next ordinal
    uint64_t end = 0;       ///< address past the last slot; equal to `first` where the plan has none
    uint64_t fast_end = 0;  ///< below it there are slots enough to look ahead, in a part of them
    uint64_t first = 0;
    uint64_t unmatched = 0;                    ///< their granules, 16 bits each, the last one lowest
    uint32_t group = formats::plan::no_group;  ///< atomic: one that stopped is left
    uint32_t waiting_at = 0;                   ///< `next` in slots when requests were last left unmatched
    uint32_t refused = 0;                      ///< requests that no slot fitted, or whose slot was taken
    uint32_t unused = 0;                       ///< slots passed that no object got
    uint32_t look_at = 0;         ///< of `refused`: where it is looked whether the slots still fit
    uint32_t refused_before = 0;  ///< `refused`, and
    uint32_t matched_before = 0;  ///< requests that got their slots, when it was looked last
    bool is_counted = false;      ///< its slots are counted as used up
};

}  // namespace malloom::heaps
