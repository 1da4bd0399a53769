// Replaces the least recently used line, as valgrind's cachegrind does.
#pragma once

#include <stdint.h>

#include <utility>

namespace malloom::native {

/// A set is `ways` line numbers, the most recently used first.
struct LeastRecentlyUsed {
    static constexpr unsigned state_words = 0;

    /// References `line` in the set at `row`; true on a hit. On a miss the line takes the last place.
    bool reference(uint32_t* row, unsigned ways, uint32_t line) {
        uint32_t carried = line;
        for (unsigned way = 0; way < ways; ++way) {
            std::swap(carried, row[way]);
            if (carried == line) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace malloom::native
