// Magazines (Bonwick, Adams: Magazines and Vmem): the addresses of a thread's free chunks of one client,
// those that came last on top. Free chunks themselves are not touched.
//
// A signal handler of the thread may come between any two instructions, and take and put chunks too. A slot
// without a chunk holds 0. Whoever sees that the slot at the top is not as it should be leaves the magazine
// alone: it is empty, full or closed (sentinels stand at both ends), or this is a handler that interrupted
// somebody in it. Else the top moves, by one instruction that gives nothing back, so that its value is
// forwarded as any store's is; that claims the slot, and no handler passes a claimed slot. If the top is not
// where the move should have brought it, a handler came in between, and the claimed slot is found by what it
// left.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/structures/freestanding/shared_word.h"

namespace malloom::heaps {

using MagazineSlot = uint64_t;

constexpr MagazineSlot magazine_sentinel = 1;
/// At each end: handlers that each come while the one before gives up a claim beyond it are that far off.
constexpr uint32_t magazine_sentinels = 4;

/// Nothing can be taken from it nor put there.
[[gnu::visibility("hidden")]] extern const MagazineSlot closed_magazine[2 * magazine_sentinels];
inline uint64_t closed_top() {
    return reinterpret_cast<uint64_t>(closed_magazine + magazine_sentinels);
}

constexpr uint32_t least_slots = 64;
constexpr unsigned magazine_orders = 7;
constexpr uint32_t magazine_capacity(unsigned order) {
    return (least_slots << order) - 2 * magazine_sentinels;
}

/// Memory for magazines. All zero has given none. Not thread-safe.
class MagazineMemory {
  public:
    /// An empty magazine with its sentinels, of 2^order times least_slots, the sentinels among them; null
    /// where there is no memory.
    MagazineSlot* make(unsigned order);
    /// Takes it back, empty but for sentinels anywhere.
    void discard(MagazineSlot* first, unsigned order);
    void close();

  private:
    MagazineSlot* take_fresh(size_t slots);

    MagazineSlot* unused_[magazine_orders] = {};  ///< linked through their first slots
    MagazineSlot* fresh_ = nullptr;
    size_t fresh_slots_ = 0;
    MagazineSlot* blocks_ = nullptr;  ///< linked through their first slots
};

[[gnu::always_inline]] inline MagazineSlot* slot_at(const uint64_t& top) {
    return reinterpret_cast<MagazineSlot*>(top);
}
// What was read before is read again after it: a handler may have changed it.
[[gnu::always_inline]] inline void move_top(uint64_t& top, int slots) {
    structures::add_in_thread(top, static_cast<int64_t>(slots) * static_cast<int64_t>(sizeof(MagazineSlot)));
}

/// A claim whose slot is still to be found: a handler came in between. Zero is none.
struct MagazineClaim {
    uint64_t* top;
    MagazineSlot* slot;  ///< that was seen at the top
};
/// Ends the claim as if no handler had come: the chunk, null where there was none; whether the object has
/// been put.
void* end_taking(MagazineClaim& claim);
bool end_putting(MagazineClaim& claim, void* object);

/// The chunk on top; null where there is none to be had, or a claim is left.
[[gnu::always_inline]] inline void* take_from_magazine(uint64_t& top, MagazineClaim& claim) {
    MagazineSlot* slot = slot_at(top) - 1;
    if (*slot <= magazine_sentinel) [[unlikely]] {
        return nullptr;
    }
    move_top(top, -1);
    if (slot_at(top) != slot) [[unlikely]] {
        claim = {&top, slot};
        return nullptr;
    }
    const MagazineSlot chunk = *slot;
    if (chunk == 0) {
        __builtin_unreachable();  // nobody takes from a claimed slot
    }
    *slot = 0;
    return reinterpret_cast<void*>(chunk);
}

/// False where there is no room, and nothing has changed, or a claim is left.
[[gnu::always_inline]] inline bool put_into_magazine(uint64_t& top, void* object, MagazineClaim& claim) {
    MagazineSlot* slot = slot_at(top);
    if (*slot != 0) [[unlikely]] {
        return false;
    }
    move_top(top, 1);
    if (slot_at(top) != slot + 1) [[unlikely]] {
        claim = {&top, slot};
        return false;
    }
    *slot = reinterpret_cast<MagazineSlot>(object);
    return true;
}

}  // namespace malloom::heaps
