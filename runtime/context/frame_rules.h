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
        if (FrameRule::tag(word) == tag_of(return_address)) {
            [[likely]] return word;
        }
        return find_elsewhere(return_address);
    }

  private:
    // 512 KiB of address space, of which a program touches what it uses. The place is the address's low bits,
    // so that the next step's load waits for nothing but the address. The tag holds the rest, and the highest
    // two bits of the place too: the four ways of an address differ in these.
    static constexpr unsigned index_bits = 16;
    static constexpr unsigned way_bits = 2;
    static constexpr unsigned user_address_bits = 47;
    static constexpr unsigned tag_from = index_bits - way_bits;
    static_assert(user_address_bits - tag_from == FrameRule::tag_bits);

    static constexpr size_t places = size_t{1} << index_bits;
    static constexpr size_t first_place(uintptr_t address) { return address % places; }
    static constexpr size_t next_way(size_t place) { return (place + (places >> way_bits)) % places; }
    static constexpr uint64_t tag_of(uintptr_t address) { return address >> tag_from; }

    uint64_t find_elsewhere(uintptr_t return_address);
    uint64_t learn(uintptr_t return_address);
    void forget_replaced();

    alignas(64) std::atomic<uint64_t> words_[places];
    std::atomic<uint32_t> replacements_seen_;
};

/// The one cache of the process.
extern constinit FrameRules frame_rules;  // NOLINT(bugprone-dynamic-static-initializers): it is constinit

}  // namespace malloom::context
