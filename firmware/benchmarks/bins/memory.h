// The board's memory, divided from its begin.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "firmware/board.h"

namespace malloom::bench::bins {

class BoardMemory {
  public:
    /// What it gives lies at the same places in the data cache whatever the size of the program is.
    explicit BoardMemory(const board_range& range) : at_(range.begin), left_(range.bytes) {
        const size_t skipped = -reinterpret_cast<uintptr_t>(at_) & (cache_bytes - 1);
        at_ += skipped;
        left_ -= skipped < left_ ? skipped : left_;
    }

    /// Aligned to 64, as what comes before it is; null where there is no room.
    uint8_t* take(size_t bytes) {
        const size_t whole = (bytes + 63) & ~size_t{63};
        if (whole < bytes || whole > left_) {
            return nullptr;
        }
        uint8_t* const taken = at_;
        at_ += whole;
        left_ -= whole;
        return taken;
    }

  private:
    static constexpr size_t cache_bytes = 4096;  ///< of the simulated core

    uint8_t* at_;
    size_t left_;
};

}  // namespace malloom::bench::bins
