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
        places_.count = 0;
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
    [[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) bool holds_for(
        const Caller& caller) const {
        return begins_at(caller) && holds_at(caller.stack_pointer, places_);
    }

    /// The same where other threads may be writing the trace. `is_whole()` says whether all that was read of
    /// it until then belongs together; no place that does not is looked at.
    template <class IsWhole>
    [[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) bool holds_for(
        const Caller& caller, IsWhole&& is_whole) const {
        if (!begins_at(caller)) {
            return false;
        }
        const Places places = places_;
        return is_whole() && holds_at(caller.stack_pointer, places);
    }

  private:
    static constexpr unsigned max_words = 16;

    struct Word {
        uintptr_t place;
        uintptr_t value;
    };
    struct Places {
        unsigned count;               // max_words + 1: there were more
        uint32_t offsets[max_words];  // bytes above the stack pointer
    };

    [[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) bool begins_at(
        const Caller& caller) const {
        return caller.return_address == caller_.return_address &&
               caller.stack_pointer == caller_.stack_pointer &&
               ((caller.frame_pointer ^ caller_.frame_pointer) & frame_pointer_mask_) == 0;
    }

    [[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) bool holds_at(
        uintptr_t stack_pointer, const Places& places) const {
        if (places.count > max_words) {
            return false;
        }
        for (unsigned i = 0; i < places.count; ++i) {
            const uintptr_t place = stack_pointer + places.offsets[i];
            if (*reinterpret_cast<const volatile uintptr_t*>(place) != values_[i]) {
                return false;
            }
        }
        return true;
    }

    [[gnu::always_inline]] void add(uintptr_t place, uintptr_t value) {
        const uintptr_t offset = place - caller_.stack_pointer;
        if (places_.count >= max_words || offset > UINT32_MAX) {
            [[unlikely]] places_.count = max_words + 1;
            return;
        }
        places_.offsets[places_.count] = static_cast<uint32_t>(offset);
        values_[places_.count++] = value;
    }

    Caller caller_;
    Word frame_pointer_;            // the last one read; place 0: the caller's own
    uintptr_t frame_pointer_mask_;  // all bits where the caller's own one was used
    Places places_;
    uintptr_t values_[max_words];
};

/// For walks that nobody wants to know more about.
struct NoTrace {
    static void read_return_address(uintptr_t, uintptr_t) {}
    static void read_frame_pointer(uintptr_t, uintptr_t) {}
    static void used_frame_pointer() {}
};

}  // namespace malloom::context
