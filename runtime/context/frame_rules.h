// The frame rule of every return address that a walk has met.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "runtime/context/frame_rule.h"
#include "runtime/context/insert_lock.h"

namespace malloom::context {

/// What the walk wants to know of a return address.
struct Frame {
    uint64_t rule;       ///< a FrameRule
    uintptr_t function;  ///< start of the calling function; where none is known the return address itself
};

/// A cache of FrameRules for the whole process: fixed size, lookup takes no lock, four places per return
/// address. A lost entry is found again in .eh_frame.
class FrameRules {
  public:
    [[gnu::always_inline]] Frame find(uintptr_t return_address) {
        const Place& place = places_[first_place(return_address)];
        const uint64_t rule = place.rule.load(std::memory_order_acquire);
        if (FrameRule::tag(rule) == tag_of(return_address)) {
            [[likely]] return {rule, place.function.load(std::memory_order_relaxed)};
        }
        return find_slow(return_address);
    }

  private:
    // The rule is stored last. Who reads it just when the place gets a new owner may take that one's function
    // for its own: one chain is then wrong.
    struct alignas(16) Place {
        std::atomic<uint64_t> rule;
        std::atomic<uintptr_t> function;
    };

    // 1 MiB of address space, of which a program touches what it uses. The place is the address's low bits,
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

    Frame find_slow(uintptr_t return_address);
    Frame learn(uintptr_t return_address);
    void keep(uintptr_t return_address, const Frame& frame);
    Place& place_for(uintptr_t return_address);
    void forget_replaced();

    Place places_[places];
    std::atomic<uint32_t> replacements_seen_;
    InsertLock lock_;  // around stores
};

/// The one cache of the process.
extern constinit FrameRules frame_rules;  // NOLINT(bugprone-dynamic-static-initializers): it is constinit

}  // namespace malloom::context
