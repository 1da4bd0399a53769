// A count that need not be exact.
#pragma once

#include <stdint.h>

#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::structures {

/// Threads may add at the same time, and lose what one of them adds. Zero is an empty one. It wraps where a
/// word does: at 2^32 where words have 32 bits.
class RacyCount {
  public:
    uintptr_t now() const { return load_relaxed(value_); }
    void add(uintptr_t more) { store_relaxed(value_, now() + more); }

  private:
    uintptr_t value_ = 0;
};

}  // namespace malloom::structures
