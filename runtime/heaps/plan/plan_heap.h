// Requests at the places that a plan chose for them ahead.
//
// The n-th request of a requester goes to the requester's n-th slot if it needs exactly the slot's granules,
// the slot's address has the alignment asked for, and the granules are free. Requests of other sizes leave
// the slot for the next one, until they fit slots further on (drift.h). Nothing that a plan says can
// make objects overlap or lie outside the arena. Lock-free.
#pragma once

#include "runtime/heaps/plan/plan_file.h"
#include "runtime/heaps/plan/planned_context.h"
#include "runtime/structures/alone.h"
#include "runtime/structures/occupancy.h"

namespace malloom::heaps {

class PlanHeap {
  public:
    /// Reserves the arena of the plan, which must outlive the heap. False where address space is short; the
    /// heap then claims nothing. Called once.
    bool open(const PlanFile& plan);
    void close();

    /// Where the arena begins; nullptr where it is not open.
    void* arena() const { return reinterpret_cast<void*>(occupancy_.base()); }

    /// Makes the arena's pages resident, in as few faults as possible.
    void preallocate();

    /// Whether the requester's places lie among its slots, in order. A few comparisons. Thread-safe.
    static bool is_valid(const PlannedContext& requester) noexcept;

    /// Points the requester at `count` slots of the plan.
    void assign(PlannedContext& requester, uint64_t first_slot, uint64_t count);

    void* allocate(const Request& request) {
        PlannedContext& requester = *request.requester;
        const uint64_t next = __atomic_load_n(&requester.next, __ATOMIC_RELAXED);
        if (next >= requester.end) [[unlikely]] {
            return count_exhausted(requester);
        }
        if (next >= __atomic_load_n(&requester.fast_end, __ATOMIC_ACQUIRE)) [[unlikely]] {
            start_stretch(requester, next);
        }
        if (last_granule(next) != structures::last_granule(request.bytes)) [[unlikely]] {
            return allocate_again(request);
        }
        return allocate_next(request, next);
    }

    [[gnu::always_inline]] static bool has_slot(const PlannedContext& requester) {
        return __atomic_load_n(&requester.next, __ATOMIC_RELAXED) < requester.end;
    }

    /// The common case of allocate; null, and nothing changed, where it is another: the requester has slots
    /// enough to look ahead, the next one fits and is free. `alignment` as in Request.
    [[gnu::always_inline]] void* allocate_small(size_t bytes, size_t alignment, PlannedContext& requester) {
        const uint64_t next = __atomic_load_n(&requester.next, __ATOMIC_RELAXED);
        // 0 bytes have no such last granule, nor have slots of 0 granules.
        const uint64_t last = (bytes - 1) / structures::granule_bytes;
        if (next >= __atomic_load_n(&requester.fast_end, __ATOMIC_ACQUIRE) || last_granule(next) != last)
            [[unlikely]] {
            return nullptr;
        }
        const uint64_t start = reinterpret_cast<const Slot*>(next)->start;
        if (!is_aligned(start, alignment) || !claim_slot(requester, next, start, last)) [[unlikely]] {
            return nullptr;
        }
        prefetch(next + prefetch_slots * sizeof(Slot));
        return occupancy_.address(start);
    }

    /// The common case of deallocate; false, and nothing changed, where it is another. Any pointer.
    [[gnu::always_inline]] bool release_small(void* object) {
        return occupancy_.release_small(structures::alone(), object);
    }

    /// deallocate for what release_small leaves.
    [[gnu::noinline]] void release_any(void* object);

    [[gnu::always_inline]] void deallocate(void* object) {
        if (!release_small(object)) [[unlikely]] {
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
    [[gnu::always_inline]] void* count_exhausted(PlannedContext& requester) {
        if (!__atomic_load_n(&requester.is_counted, __ATOMIC_RELAXED) &&
            !__atomic_exchange_n(&requester.is_counted, true, __ATOMIC_RELAXED)) {
            __atomic_fetch_add(&exhausted_slots_, (requester.end - requester.first) / sizeof(Slot),
                               __ATOMIC_RELAXED);
        }
        return nullptr;
    }

    /// Slots that requesters have used up for good, matched or not.
    uint64_t exhausted_slots() const { return __atomic_load_n(&exhausted_slots_, __ATOMIC_RELAXED); }
    /// Contexts whose slots were given up because hardly any fitted, or they could not be read.
    uint64_t given_up() const { return __atomic_load_n(&given_up_, __ATOMIC_RELAXED); }

    /// Notes a request that no slot of the requester's was for. It gives its slots up where, since the last
    /// look, less than half as many requests had one as had none; the first look is at the `first_look`th of
    /// these.
    void note_refused(PlannedContext& requester, uint32_t first_look);
    static constexpr uint32_t first_look_at_sequence = 4096;

    /// Takes the rest of its slots from the requester. They do not fit this run, or cannot be read any more.
    void give_up(PlannedContext& requester);

  private:
    using Slot = formats::plan::PlanSlot;

    // Of the slot at that address; of 0 granules it is one that no request has.
    [[gnu::always_inline]] static uint64_t last_granule(uint64_t slot) {
        return reinterpret_cast<const Slot*>(slot)->granules - uint64_t{1};
    }
    // The arena begins at a multiple of 2 MiB, but not more.
    [[gnu::always_inline]] bool is_aligned(uint64_t start, size_t alignment) const {
        return alignment <= structures::granule_bytes ||
               ((occupancy_.base() + start * structures::granule_bytes) & (alignment - 1)) == 0;
    }

    // Slots lie in the order of requests, what they name lies anywhere: without this a program that builds a
    // large structure would wait for memory at each request.
    [[gnu::always_inline]] void prefetch(uint64_t slot) const {
        occupancy_.prefetch(reinterpret_cast<const Slot*>(slot)->start);
    }

    // The requester goes on behind the slot if its granules are free. A thread that shares it with others
    // takes the slot before the granules: they would find them taken else, or go back where it was stopped.
    [[gnu::always_inline]] bool claim_slot(PlannedContext& requester, uint64_t next, uint64_t start,
                                           uint64_t last) {
        const uint64_t after = next + sizeof(Slot);
        if (structures::alone()) [[likely]] {
            const bool is_claimed = occupancy_.claim_small(true, start, last);
            if (is_claimed) [[likely]] {
                __atomic_store_n(&requester.next, after, __ATOMIC_RELAXED);
            }
            return is_claimed;
        }
        if (!structures::Occupancy::share_word(start, last) ||
            !structures::replace(false, requester.next, next, after)) {
            return false;
        }
        const bool is_claimed = occupancy_.claim_small(false, start, last);
        if (!is_claimed) {
            structures::replace(false, requester.next, after, next);
        }
        return is_claimed;
    }

    void* allocate_next(const Request& request, uint64_t next);
    [[gnu::noinline]] void* allocate_again(const Request& request);
    [[gnu::noinline]] void start_stretch(PlannedContext& requester, uint64_t next);
    void fetch_stretch(PlannedContext& requester, uint64_t next);
    void give_back_behind(const PlannedContext& requester, uint64_t reached, uint64_t next) const;
    void count_refused(PlannedContext& requester) { note_refused(requester, first_look_at_context); }
    void look_at_share(PlannedContext& requester, uint32_t refused);
    void count_unused(PlannedContext& requester, uint64_t slots) const;

    static constexpr uint64_t prefetch_slots = 8;
    static constexpr uint32_t first_look_at_context = 256;

    structures::Occupancy occupancy_;
    const PlanFile* plan_ = nullptr;
    uint64_t exhausted_slots_ = 0;
    uint64_t given_up_ = 0;
};

static_assert(ClaimingHeap<PlanHeap>);

}  // namespace malloom::heaps
