#include "runtime/heaps/pool_magazine.h"

#include "runtime/platform/memory.h"

namespace malloom::heaps {

static_assert(magazine_walls == 4);
constinit MagazineSlot closed_magazine[2 * magazine_walls] = {magazine_wall, magazine_wall, magazine_wall,
                                                              magazine_wall, magazine_wall, magazine_wall,
                                                              magazine_wall, magazine_wall};

namespace {

constexpr size_t block_slots = size_t{8} << 10;

// Under the arena's lock. Magazines that are not in use are linked through their first slots.
MagazineSlot* unused[magazine_orders] = {};
MagazineSlot* fresh = nullptr;
size_t fresh_slots = 0;

MagazineSlot* take_fresh(size_t slots) {
    if (fresh_slots < slots) {
        auto* block = static_cast<MagazineSlot*>(platform::map_pages(block_slots * sizeof(MagazineSlot)));
        if (block == nullptr) {
            return nullptr;
        }
        fresh = block;
        fresh_slots = block_slots;
    }
    MagazineSlot* taken = fresh;
    fresh += slots;
    fresh_slots -= slots;
    return taken;
}

}  // namespace

MagazineSlot* make_magazine(unsigned order) {
    MagazineSlot* walls = unused[order];
    if (walls != nullptr) {
        unused[order] = reinterpret_cast<MagazineSlot*>(*walls);
    } else {
        walls = take_fresh(least_slots << order);
    }
    if (walls == nullptr) {
        return nullptr;
    }
    MagazineSlot* first = walls + magazine_walls;
    for (uint32_t i = 0; i < magazine_walls; ++i) {
        walls[i] = magazine_wall;
        first[magazine_capacity(order) + i] = magazine_wall;
    }
    return first;
}

void discard_magazine(MagazineSlot* first, unsigned order) {
    MagazineSlot* walls = first - magazine_walls;
    for (uint32_t i = 0; i < least_slots << order; ++i) {
        walls[i] = 0;
    }
    walls[0] = reinterpret_cast<MagazineSlot>(unused[order]);
    unused[order] = walls;
}

}  // namespace malloom::heaps
