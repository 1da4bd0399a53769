// Requests at the places that a plan chose for them ahead.
//
// The n-th request of a requester goes to the requester's n-th slot if it needs exactly the slot's granules,
// the slot's address has the alignment asked for, and the granules are free. Nothing that a plan says can
// make objects overlap or lie outside the arena. Lock-free.
#pragma once

#include "runtime/heaps/heap.h"
#include "runtime/heaps/plan_file.h"
#include "runtime/structures/occupancy.h"

namespace malloom::heaps {

class PlanHeap {
  public:
    /// Reserves the plan's arena. False where address space is short; the heap then claims nothing. Called
    /// once.
    bool open(const PlanFile& plan);
    void close();

    /// Where the arena begins; nullptr where it is not open.
    void* arena() const { return reinterpret_cast<void*>(occupancy_.base()); }

    /// Makes the arena's pages resident, in as few faults as possible.
    void preallocate();

    /// Points the requester at `count` slots of the plan.
    void assign(Requester& requester, uint64_t first_slot, uint64_t count) const;

    void* allocate(const Request& request) {
        Requester& requester = *request.requester;
        if (!has_slot(requester)) [[unlikely]] {
            return note_exhausted(requester);
        }
        const bool is_alone = structures::alone();
        const uint64_t taken = structures::fetch_add(is_alone, requester.next, sizeof(Slot));
        if (taken >= requester.end) [[unlikely]] {
            return nullptr;
        }
        const Slot slot = *reinterpret_cast<const Slot*>(taken);
        const uint64_t last = structures::last_granule(request.bytes);
        if (fits(slot, last, request.alignment) && occupancy_.claim(is_alone, slot.start, last)) [[likely]] {
            return occupancy_.address(slot.start);
        }
        return note_refused(requester, slot);
    }

    [[gnu::always_inline]] static bool has_slot(const Requester& requester) {
        return __atomic_load_n(&requester.next, __ATOMIC_RELAXED) < requester.end;
    }

    /// The common case of allocate while the process has one thread, and nothing changed where it is another
    /// (null then): the requester has a slot, which must be known, it fits and is free.
    [[gnu::always_inline]] void* allocate_small(size_t bytes, Requester& requester) {
        const uint64_t next = requester.next;
        const Slot slot = *reinterpret_cast<const Slot*>(next);
        // 0 for what overflows; 0 granules are not claimed.
        const uint64_t granules = (bytes + structures::granule_bytes - 1) / structures::granule_bytes;
        if (granules != slot.granules) [[unlikely]] {
            return nullptr;
        }
        if (!occupancy_.claim_small(true, slot.start, granules - 1)) [[unlikely]] {
            return allocate_spanning(slot, requester);
        }
        requester.next = next + sizeof(Slot);
        prefetch_ahead(requester, next);
        return occupancy_.address(slot.start);
    }

    [[gnu::always_inline]] void deallocate(void* object) {
        if (!occupancy_.release_small(structures::alone(), object)) [[unlikely]] {
            release_any(object);
        }
    }

    [[gnu::always_inline]] bool owns(const void* object) const { return occupancy_.owns(object); }
    size_t usable_size(const void* object) const {
        return occupancy_.extent(object) * structures::granule_bytes;
    }

    /// realloc's first question: may the object stay where it is? Yes where the requester's next slot begins
    /// there, or where no slot wants the object and its room fits. Where it says no, allocate finds that
    /// slot.
    bool resize(void* object, const Request& request);

    // Requests beyond the last slot are many in a program that the plan does not fit: counted once per
    // requester.
    [[gnu::always_inline]] void* note_exhausted(Requester& requester) {
        if (!__atomic_load_n(&requester.is_noted, __ATOMIC_RELAXED) &&
            !__atomic_exchange_n(&requester.is_noted, true, __ATOMIC_RELAXED)) {
            __atomic_fetch_add(&exhausted_slots_, (requester.end - requester.first) / sizeof(Slot),
                               __ATOMIC_RELAXED);
        }
        return nullptr;
    }

    /// Slots that requesters have used up for good, matched or not.
    uint64_t exhausted_slots() const { return __atomic_load_n(&exhausted_slots_, __ATOMIC_RELAXED); }
    /// Requesters whose slots were given up because hardly any fitted.
    uint64_t given_up() const { return __atomic_load_n(&given_up_, __ATOMIC_RELAXED); }

    /// Takes the rest of its slots from the requester. They do not fit this run.
    void give_up(Requester& requester);

  private:
    using Slot = formats::plan::PlanSlot;

    // A slot of 0 granules has a last one that no request has. The arena begins at a multiple of 2 MiB, but
    // not more.
    [[gnu::always_inline]] bool fits(Slot slot, uint64_t last, size_t alignment) const {
        return last == slot.granules - uint64_t{1} && is_aligned(slot, alignment);
    }
    [[gnu::always_inline]] bool is_aligned(Slot slot, size_t alignment) const {
        return alignment <= structures::granule_bytes ||
               ((occupancy_.base() + slot.start * structures::granule_bytes) & (alignment - 1)) == 0;
    }

    // Slots lie in the order of requests, what they name lies anywhere: without this a program that builds a
    // large structure would wait for memory at each request.
    [[gnu::always_inline]] void prefetch_ahead(const Requester& requester, uint64_t next) const {
        const uint64_t ahead = next + prefetch_slots * sizeof(Slot);
        if (ahead < requester.end) [[likely]] {
            occupancy_.prefetch(reinterpret_cast<const Slot*>(ahead)->start);
        }
    }

    [[gnu::noinline]] void* allocate_spanning(Slot slot, Requester& requester);
    [[gnu::noinline]] void* note_refused(Requester& requester, Slot slot);
    [[gnu::noinline]] void release_any(void* object);

    static constexpr uint64_t prefetch_slots = 8;

    structures::Occupancy occupancy_;
    const Slot* slots_ = nullptr;
    uint64_t exhausted_slots_ = 0;
    uint64_t given_up_ = 0;
};

static_assert(ClaimingHeap<PlanHeap>);

}  // namespace malloom::heaps
