// Replaces a random line, as some embedded caches do. Repeatable: every cache begins with the same seed.
#pragma once

#include <stdint.h>

#include "src/native/simulation/ways.h"

namespace malloom::native {

/// A set is `ways` line numbers in no order. Empty ways fill in order.
struct RandomReplacement {
    static constexpr unsigned state_words = 0;

    bool reference(uint32_t* row, unsigned ways, uint32_t line) {
        for (unsigned way = 0; way < ways; ++way) {
            if (row[way] == line) {
                return true;
            }
            if (row[way] == empty_way) {
                row[way] = line;
                return false;
            }
        }
        row[next() % ways] = line;
        return false;
    }

  private:
    /// Marsaglia's xorshift32.
    uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }

    uint32_t state_ = 2463534242U;
};

}  // namespace malloom::native
