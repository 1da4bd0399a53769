// From a call site to its callers, one at a time: what a context needs where the site lies in a wrapper.
#pragma once

#include <stdint.h>

#include "runtime/context/caller.h"
#if defined(__x86_64__)
#include "runtime/context/walk_unwind_tables.h"
#endif

namespace malloom::context {

/// How the caller of a return address is found: a number that is worth keeping beside what is known of the
/// address; 0 where it cannot be.
struct Step {
    uint64_t rule = 0;       ///< a FrameRule
    uintptr_t function = 0;  ///< that the return address lies in
};

/// The step from this return address, looked for in .eh_frame where it is new.
inline Step step_from([[maybe_unused]] uintptr_t return_address) {
#if defined(__x86_64__)
    const Frame frame = frame_rules.find(return_address);
    return {frame.rule, frame.function};
#else
    return {0, return_address};
#endif
}

/// A place in the chain of callers. A step is one load where the rule is known: on x86-64 .eh_frame says for
/// each call site how far above the stack pointer the caller's return address lies. Never faults (see
/// readable_pages.h), and keeps errno.
class Reach {
  public:
    [[gnu::always_inline]] explicit Reach(const Caller& caller)
        : return_address_(caller.return_address),
          key_(caller.return_address),
          place_(caller.stack_pointer - 8),
          frame_pointer_(caller.frame_pointer) {}

    /// Whether a step leads anywhere.
    static bool leads_on([[maybe_unused]] const Step& step) {
#if defined(__x86_64__)
        return FrameRule::offset_bytes(step.rule) != 0;
#else
        return false;
#endif
    }

    /// Bytes from where a return address lies to where its caller's does, in frames that are reckoned from
    /// the stack pointer; 0 where it is not known so simply.
    static uint64_t plain_distance([[maybe_unused]] const Step& step) {
#if defined(__x86_64__)
        return FrameRule::from_frame_pointer(step.rule) ? 0 : FrameRule::offset_bytes(step.rule);
#else
        return 0;
#endif
    }

    /// The key of a chain with a caller more.
    static uint64_t key_above(uint64_t key, uintptr_t return_address) {
        return (key * 0x9e3779b97f4a7c15ULL + return_address) | uint64_t{1} << 63;
    }

    uintptr_t return_address() const { return return_address_; }
    /// Of the chain so far: the return address itself, or a hash of all, which has the highest bit.
    uint64_t key() const { return key_; }

    /// Goes to the caller, by the step of return_address(). False where it is not known for sure.
    [[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) bool go(
        [[maybe_unused]] uint64_t rule) {
#if defined(__x86_64__)
        const uint64_t offset = FrameRule::offset_bytes(rule);
        const uint64_t saved = FrameRule::saved_words(rule);
        uintptr_t above = place_ + offset;
        if (FrameRule::from_frame_pointer(rule)) {
            if (!walker::is_plausible(place_ + 8, frame_pointer_)) [[unlikely]] {
                return false;
            }
            above = frame_pointer_ - 8 + offset;
        }
        if (offset == 0 || place_ % 8 != 0 || !walker::can_read(place_, above - 8 * saved, above))
            [[unlikely]] {
            return false;
        }
        if (saved != 0) {
            frame_pointer_ = walker::load(above - 8 * saved);
        }
        place_ = above;
        return_address_ = walker::load(above);
        key_ = key_above(key_, return_address_);
        return return_address_ != 0;
#else
        return false;
#endif
    }

  private:
    uintptr_t return_address_;
    uint64_t key_;
    uintptr_t place_;  // where the return address was found: readable
    uintptr_t frame_pointer_;
};

}  // namespace malloom::context
