// How often the system is asked for something, by how it answered.
#pragma once

#include <stdint.h>

namespace malloom::heaps {

/// A bad answer is followed by a pause, four times the last and one more; good ones shorten the next.
/// Thread-safe. Threads that meet may ask once too often or too seldom.
class Pace {
  public:
    static constexpr uint32_t most_pause = 1024;

    /// Whether to ask now. A pause passes by such opportunities.
    bool is_due() {
        const uint32_t pause = __atomic_load_n(&pause_, __ATOMIC_RELAXED);
        if (pause != 0) {
            __atomic_store_n(&pause_, pause - 1, __ATOMIC_RELAXED);
        }
        return pause == 0;
    }

    /// How the system answered when it was due.
    void answered(bool is_good) {
        const uint32_t last = __atomic_load_n(&last_pause_, __ATOMIC_RELAXED);
        if (is_good) {
            if (last != 0) {
                __atomic_store_n(&last_pause_, last / 2, __ATOMIC_RELAXED);
            }
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
