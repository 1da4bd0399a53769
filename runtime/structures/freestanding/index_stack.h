// A lock-free stack of small numbers whose links the owner keeps in an array, so that it needs no memory of
// its own.
#pragma once

#include <stdint.h>

#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::structures {

/// All zero is an empty stack. The upper half of the head counts changes, so that a number that went and came
/// back is noticed. Numbers are below `most`: 2^32 - 1 where words have 64 bits, 65,535 where they have 32.
/// `is_alone`: no other thread can run.
class IndexStack {
  public:
    static constexpr uint32_t none = 0xffffffffu;
    static constexpr uint32_t most = static_cast<uint32_t>(UINTPTR_MAX >> (sizeof(uintptr_t) * 4));

    /// `links[index]` belongs to the stack while index is on it.
    void push(bool is_alone, uint32_t* links, uint32_t index) {
        for (;;) {
            const uintptr_t head = load(head_);
            store_relaxed(links[index], static_cast<uint32_t>(head & most));
            if (replace(is_alone, head_, head, next_change(head) | (index + 1))) {
                return;
            }
        }
    }

    /// The number pushed last, or none.
    uint32_t pop(bool is_alone, const uint32_t* links) {
        for (;;) {
            const uintptr_t head = load(head_);
            const auto top = static_cast<uint32_t>(head & most);
            if (top == 0) {
                return none;
            }
            const uint32_t below = load_relaxed(links[top - 1]);
            if (replace(is_alone, head_, head, next_change(head) | below)) {
                return top - 1;
            }
        }
    }

  private:
    static constexpr unsigned half_bits = sizeof(uintptr_t) * 4;
    static uintptr_t next_change(uintptr_t head) { return ((head >> half_bits) + 1) << half_bits; }

    // Low half: the number on top plus one, 0 when empty.
    uintptr_t head_ = 0;
};

}  // namespace malloom::structures
