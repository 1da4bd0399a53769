// How often huge pages are asked for, by what they took. In a virtual machine whose host has taken unused
// memory back, each costs milliseconds, ten times as long as usual, and is hardly huge in the host's tables;
// a system whose memory is fragmented compacts it first.
#pragma once

#include <stdint.h>

namespace malloom::heaps {

/// Thread-safe. Threads that meet may ask once too often or too seldom.
class HugePagePace {
  public:
    static constexpr uint64_t slow_nanoseconds = 2000000;
    static constexpr uint32_t most_pause = 1024;

    /// Whether to ask for the one that could be made now. A pause passes by such opportunities.
    bool is_due() {
        const uint32_t pause = __atomic_load_n(&pause_, __ATOMIC_RELAXED);
        if (pause != 0) {
            __atomic_store_n(&pause_, pause - 1, __ATOMIC_RELAXED);
        }
        return pause == 0;
    }

    /// What the one that was due took. A slow one is followed by a pause, four times the last and one more;
    /// quick ones shorten the next.
    void took(uint64_t nanoseconds) {
        const uint32_t last = __atomic_load_n(&last_pause_, __ATOMIC_RELAXED);
        if (nanoseconds <= slow_nanoseconds) {
            __atomic_store_n(&last_pause_, last / 2, __ATOMIC_RELAXED);
            return;
        }
        const uint32_t next = last < most_pause / 4 ? 4 * last + 1 : most_pause;
        __atomic_store_n(&pause_, next, __ATOMIC_RELAXED);
        __atomic_store_n(&last_pause_, next, __ATOMIC_RELAXED);
    }

  private:
    uint32_t pause_ = 0;  ///< opportunities that are still left out
    uint32_t last_pause_ = 0;
};

}  // namespace malloom::heaps
