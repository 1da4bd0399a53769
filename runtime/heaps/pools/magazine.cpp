#include "runtime/heaps/pools/magazine.h"

#include "runtime/platform/memory.h"

namespace malloom::heaps {

static_assert(magazine_sentinels == 4);
const MagazineSlot closed_magazine[2 * magazine_sentinels] = {
    magazine_sentinel, magazine_sentinel, magazine_sentinel, magazine_sentinel,
    magazine_sentinel, magazine_sentinel, magazine_sentinel, magazine_sentinel};

namespace {

constexpr size_t block_slots = size_t{32} << 10;
static_assert(least_slots << (magazine_orders - 1) < block_slots);

}  // namespace

// A handler that came after the move took from below the claimed slot, where the top is now. One that came
// before it left the top elsewhere, and the move claimed the slot there.
void* end_taking(MagazineClaim& claim) {
    uint64_t& top = *claim.top;
    MagazineSlot* slot = claim.slot;
    MagazineSlot* at_top = slot_at(top);
    claim = {};
    MagazineSlot* claimed = at_top < slot && *slot != 0 ? slot : at_top;
    const MagazineSlot chunk = *claimed;
    if (chunk <= magazine_sentinel) {
        move_top(top, 1);
        return nullptr;
    }
    *claimed = 0;
    return reinterpret_cast<void*>(chunk);
}

// The same upside down.
bool end_putting(MagazineClaim& claim, void* object) {
    uint64_t& top = *claim.top;
    MagazineSlot* slot = claim.slot;
    MagazineSlot* below_top = slot_at(top) - 1;
    claim = {};
    MagazineSlot* claimed = below_top > slot && *slot == 0 ? slot : below_top;
    if (*claimed != 0) {
        move_top(top, -1);
        return false;
    }
    *claimed = reinterpret_cast<MagazineSlot>(object);
    return true;
}

// A block's first slot links it to the others.
MagazineSlot* MagazineMemory::take_fresh(size_t slots) {
    if (fresh_slots_ < slots) {
        auto* block = static_cast<MagazineSlot*>(platform::map_pages(block_slots * sizeof(MagazineSlot)));
        if (block == nullptr) {
            return nullptr;
        }
        block[0] = reinterpret_cast<MagazineSlot>(blocks_);
        blocks_ = block;
        fresh_ = block + 1;
        fresh_slots_ = block_slots - 1;
    }
    MagazineSlot* taken = fresh_;
    fresh_ += slots;
    fresh_slots_ -= slots;
    return taken;
}

MagazineSlot* MagazineMemory::make(unsigned order) {
    MagazineSlot* lower = unused_[order];
    if (lower != nullptr) {
        unused_[order] = reinterpret_cast<MagazineSlot*>(*lower);
    } else {
        lower = take_fresh(least_slots << order);
    }
    if (lower == nullptr) {
        return nullptr;
    }
    MagazineSlot* first = lower + magazine_sentinels;
    for (uint32_t i = 0; i < magazine_sentinels; ++i) {
        lower[i] = magazine_sentinel;
        first[magazine_capacity(order) + i] = magazine_sentinel;
    }
    return first;
}

void MagazineMemory::discard(MagazineSlot* first, unsigned order) {
    MagazineSlot* lower = first - magazine_sentinels;
    for (uint32_t i = 0; i < least_slots << order; ++i) {
        lower[i] = 0;
    }
    lower[0] = reinterpret_cast<MagazineSlot>(unused_[order]);
    unused_[order] = lower;
}

void MagazineMemory::close() {
    while (blocks_ != nullptr) {
        MagazineSlot* block = blocks_;
        blocks_ = reinterpret_cast<MagazineSlot*>(block[0]);
        platform::unmap_pages(block, block_slots * sizeof(MagazineSlot));
    }
    *this = MagazineMemory();
}

}  // namespace malloom::heaps
