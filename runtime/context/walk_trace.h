// What a walk of the stack read, so that another one from the same place need not be made.
#pragma once

#include <stdint.h>

#include "runtime/context/caller.h"

namespace malloom::context {

/// The words of the stack that decided a walk. From the same return address and stack pointer, with these
/// words unchanged, a walk gives the same chain, because it looks at nothing else.
class WalkTrace {
  public:
    /// Begins the trace of a walk from `caller`.
    void begin(const Caller& caller) {
        caller_ = caller;
        frame_pointer_ = {0, caller.frame_pointer};
        frame_pointer_mask_ = 0;
        count_ = 0;
    }

    /// A return address was found at `place`.
    [[gnu::always_inline]] void read_return_address(uintptr_t place, uintptr_t value) { add(place, value); }

    /// The caller's frame pointer was found at `place`. It decides nothing before it is used.
    [[gnu::always_inline]] void read_frame_pointer(uintptr_t place, uintptr_t value) {
        // One by one: a temporary would be poisoned by AddressSanitizer when it ends, and the walk that this
        // is inlined into, which is not checked, would not clean up.
        frame_pointer_.place = place;
        frame_pointer_.value = value;
    }

    /// The next frame was found by the last frame pointer.
    [[gnu::always_inline]] void used_frame_pointer() {
        if (frame_pointer_.place != 0) {
            add(frame_pointer_.place, frame_pointer_.value);
        } else {
            frame_pointer_mask_ = ~uintptr_t{0};
        }
    }

    /// Whether a walk from `caller` would read the same; never of a walk that read more than is kept. Reads
    /// the stack at places that were readable when its frames were these: of a coroutine's stack that was cut
    /// short since and has the same frames below the cut, that may be wrong.
    [[gnu::always_inline, gnu::no_sanitize("address", "thread", "undefined")]] bool holds_for(
        const Caller& caller) const {
        if (caller.return_address != caller_.return_address ||
            caller.stack_pointer != caller_.stack_pointer) {
            return false;
        }
        if (((caller.frame_pointer ^ caller_.frame_pointer) & frame_pointer_mask_) != 0 ||
            count_ > max_words) {
            return false;
        }
        for (unsigned i = 0; i < count_; ++i) {
            const uintptr_t place = caller.stack_pointer + offsets_[i];
            if (*reinterpret_cast<const volatile uintptr_t*>(place) != values_[i]) {
                return false;
            }
        }
        return true;
    }

  private:
    static constexpr unsigned max_words = 16;

    struct Word {
        uintptr_t place;
        uintptr_t value;
    };

    [[gnu::always_inline]] void add(uintptr_t place, uintptr_t value) {
        const uintptr_t offset = place - caller_.stack_pointer;
        if (count_ >= max_words || offset > UINT32_MAX) {
            [[unlikely]] count_ = max_words + 1;
            return;
        }
        offsets_[count_] = static_cast<uint32_t>(offset);
        values_[count_++] = value;
    }

    Caller caller_;
    Word frame_pointer_;            // the last one read; place 0: the caller's own
    uintptr_t frame_pointer_mask_;  // all bits where the caller's own one was used
    unsigned count_;                // max_words + 1: there were more
    uint32_t offsets_[max_words];   // bytes above the stack pointer
    uintptr_t values_[max_words];
};

/// For walks that nobody wants to know more about.
struct NoTrace {
    static void read_return_address(uintptr_t, uintptr_t) {}
    static void read_frame_pointer(uintptr_t, uintptr_t) {}
    static void used_frame_pointer() {}
};

}  // namespace malloom::context
