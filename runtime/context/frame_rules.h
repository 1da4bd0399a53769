// The frame rule of every return address that a walk has met.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "runtime/context/frame_rule.h"

namespace malloom::context {

/// A cache of FrameRules for the whole process: fixed size, no locks, four places per return address. A lost
/// entry is found again in .eh_frame.
class FrameRules {
  public:
    /// The word for this return address; of it, everything but the tag.
    [[gnu::always_inline]] uint64_t find(uintptr_t return_address) {
        const uint64_t word = words_[first_place(return_address)].load(std::memory_order_relaxed);
        if (FrameRule::tag(word) == tag_of(return_address)) [[likely]]
            return word;
        return find_elsewhere(return_address);
    }

  private:
    // 512 KiB of address space, of which a program touches what it uses. The place is the address's low bits,
    // so that the next step's load waits for nothing but the address; what they leave out of it is in the
    // tag.
    static constexpr unsigned index_bits = 16;
    static constexpr unsigned ways = 4;
    static constexpr unsigned user_address_bits = 47;
    static_assert(user_address_bits - index_bits + 2 == FrameRule::tag_bits);

    static constexpr size_t first_place(uintptr_t address) { return address & ((1U << index_bits) - 1); }
    static constexpr uint64_t tag_of(uintptr_t address) {
        return address >> index_bits << 2 | (address & (ways - 1));
    }

    uint64_t find_elsewhere(uintptr_t return_address);
    uint64_t learn(uintptr_t return_address);
    void forget_replaced();

    std::atomic<uint32_t> replacements_seen_{0};
    alignas(64) std::atomic<uint64_t> words_[size_t{1} << index_bits];
};

/// The one cache of the process.
extern FrameRules frame_rules;

}  // namespace malloom::context
