// A lock-free stack of small numbers whose links the owner keeps in an array, so that it needs no memory of
// its own.
#pragma once

#include <stdint.h>

#include "runtime/structures/shared_word.h"

namespace malloom::structures {

/// All zero is an empty stack. The upper half of the head counts changes, so that a number that went and came
/// back is noticed.
class IndexStack {
  public:
    static constexpr uint32_t none = 0xffffffffu;

    /// `links[index]` belongs to the stack while index is on it.
    void push(uint32_t* links, uint32_t index) {
        for (;;) {
            const uint64_t head = load(head_);
            __atomic_store_n(&links[index], static_cast<uint32_t>(head), __ATOMIC_RELAXED);
            if (replace(alone(), head_, head, next_change(head) | (index + 1))) {
                return;
            }
        }
    }

    /// The number pushed last, or none.
    uint32_t pop(const uint32_t* links) {
        for (;;) {
            const uint64_t head = load(head_);
            const auto top = static_cast<uint32_t>(head);
            if (top == 0) {
                return none;
            }
            const uint32_t below = __atomic_load_n(&links[top - 1], __ATOMIC_RELAXED);
            if (replace(alone(), head_, head, next_change(head) | below)) {
                return top - 1;
            }
        }
    }

  private:
    static uint64_t next_change(uint64_t head) { return ((head >> 32) + 1) << 32; }

    // Low half: the number on top plus one, 0 when empty.
    uint64_t head_ = 0;
};

}  // namespace malloom::structures
