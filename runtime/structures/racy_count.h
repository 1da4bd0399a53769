// A count that need not be exact.
#pragma once

#include <stdint.h>

namespace malloom::structures {

/// Threads may add at the same time, and lose what one of them adds. Zero is an empty one.
class RacyCount {
  public:
    uint64_t now() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
    void add(uint64_t more) { __atomic_store_n(&value_, now() + more, __ATOMIC_RELAXED); }

  private:
    uint64_t value_ = 0;
};

}  // namespace malloom::structures
