// A second level of cache behind both buses, which knows which lines it holds and no content: that is the
// memory's. Only its time counts.
#pragma once

#include <stdint.h>

#include <vector>

#include "firmware/simulated_core/addresses.h"

namespace malloom::simulated_core {

class SecondLevel {
  public:
    static constexpr unsigned ways = 4;

    /// Whether there can be one of that size: a power of two of at least a set.
    static bool can_have(uint64_t bytes) {
        return bytes >= ways * CORE_LINE && bytes <= CORE_DEVICES && (bytes & (bytes - 1)) == 0;
    }

    /// Of a size that it can have; without one, of 0, there is none.
    explicit SecondLevel(uint64_t bytes) : lines_(bytes / CORE_LINE, no_line) {}

    bool is_there() const { return !lines_.empty(); }

    /// Whether it held the line of that address, which it holds then, in the place of the one of its set that
    /// was not used for longest.
    bool use(uint32_t address) {
        const uint32_t line = address / CORE_LINE;
        uint32_t* const set = &lines_[line % (lines_.size() / ways) * ways];
        unsigned way = 0;
        while (way + 1 < ways && set[way] != line) ++way;
        const bool held = set[way] == line;
        for (; way > 0; --way) set[way] = set[way - 1];
        set[0] = line;
        ++(held ? hits_ : misses_);
        return held;
    }

    uint64_t hits() const { return hits_; }
    uint64_t misses() const { return misses_; }

  private:
    static constexpr uint32_t no_line = UINT32_MAX;

    /// Set after set, in each the one first that was used last.
    std::vector<uint32_t> lines_;
    uint64_t hits_ = 0;
    uint64_t misses_ = 0;
};

}  // namespace malloom::simulated_core
