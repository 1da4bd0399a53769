// Magazines (Bonwick, Adams: Magazines and Vmem): the addresses of a thread's free chunks of one family,
// those that came last on top. Free chunks themselves are not touched.
//
// A signal handler of the thread may come between any two instructions, and take and put chunks too. So the
// top moves by one instruction, which claims a slot; a slot without a chunk holds 0, and whoever finds that
// the slot which it claimed is not as it should be gives up the claim: a handler has come in between, or the
// magazine is empty or full. Walls at both ends look wrong to both.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/structures/shared_word.h"

namespace malloom::heaps {

using MagazineSlot = uint64_t;

constexpr MagazineSlot magazine_wall = 1;
/// At each end: handlers that each come while the one before is about to give up its claim are that far off.
constexpr uint32_t magazine_walls = 4;

/// Nothing can be taken from it nor put there.
extern constinit MagazineSlot closed_magazine[2 * magazine_walls] [[gnu::visibility("hidden")]];
inline uint64_t closed_top() {
    return reinterpret_cast<uint64_t>(closed_magazine + magazine_walls);
}

/// Memory for a magazine, empty and with walls; null where there is none. Of 2^order times least_slots, the
/// walls among them. Under the arena's lock.
MagazineSlot* make_magazine(unsigned order);
/// Takes it back, empty but for walls anywhere. Under the arena's lock.
void discard_magazine(MagazineSlot* first, unsigned order);

constexpr uint32_t least_slots = 64;
constexpr unsigned magazine_orders = 6;
constexpr uint32_t magazine_capacity(unsigned order) {
    return (least_slots << order) - 2 * magazine_walls;
}

// Moves the top as it is, whatever handlers do, and gives the place of the slot before it was moved.
[[gnu::always_inline]] inline MagazineSlot* move_top(uint64_t& top, int slots) {
    __asm__ volatile("" ::: "memory");
    const uint64_t before =
        structures::fetch_add(true, top, static_cast<uint64_t>(slots) * sizeof(MagazineSlot));
    __asm__ volatile("" ::: "memory");
    return reinterpret_cast<MagazineSlot*>(before);
}

/// The chunk on top; null where it is not to be had so quickly.
[[gnu::always_inline]] inline void* take_from_magazine(uint64_t& top) {
    MagazineSlot* slot = move_top(top, -1) - 1;
    const MagazineSlot chunk = *slot;
    if (chunk <= magazine_wall) [[unlikely]] {
        move_top(top, 1);
        return nullptr;
    }
    *slot = 0;
    return reinterpret_cast<void*>(chunk);
}

/// False, and nothing has changed, where there is no room or the chunk is on top already.
[[gnu::always_inline]] inline bool put_into_magazine(uint64_t& top, void* object) {
    const auto chunk = reinterpret_cast<MagazineSlot>(object);
    MagazineSlot* slot = move_top(top, 1);
    if (*slot != 0 || slot[-1] == chunk) [[unlikely]] {
        move_top(top, -1);
        return false;
    }
    *slot = chunk;
    return true;
}

}  // namespace malloom::heaps
