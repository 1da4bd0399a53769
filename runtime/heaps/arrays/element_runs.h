// Which units of a region are in use: runs of units, free ones joined with free neighbours. A byte beside
// each unit tells where runs begin and end; the lists of free runs go through the free memory itself.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "checks/check.h"

namespace malloom::heaps {

/// Units have numbers from 0 on. All zero until open. Not thread-safe where nothing else is said.
class ElementRuns {
  public:
    static constexpr uint32_t most_units = INT32_MAX - 1;
    /// Of a unit's memory that lists need while it is the first one of a free run.
    static constexpr size_t list_bytes = 8;

    /// A run; none where it has no units. Its first `used_before` units were in use once: they may hold
    /// anything, the others were never touched.
    struct Taken {
        uint32_t first;
        uint32_t units;
        uint32_t used_before;
        bool was_discarded;  ///< nothing of it is resident, but for the pages at its ends
    };

    /// `tags` are zeroed, a byte a unit. The memory of unit n begins at `memory` + n * `unit_bytes`,
    /// which has list_bytes at least. Both may be touched as far as `end`.
    void open(uint8_t* tags, uintptr_t memory, size_t unit_bytes);

    /// A run of free units, no larger than asked for.
    Taken take_free(uint32_t units);
    /// The same from the end, where free units come with it. The caller has made it usable up to
    /// end_after(units).
    Taken take_last(uint32_t units);
    /// UINT64_MAX is more than any.
    uint64_t end_after(uint32_t units) const { return uint64_t{end_} - last_free() + units; }

    /// Whether a run in use begins there, or free units are there. Any number.
    bool is_run(uint64_t unit) const { return unit < end() && is_used_begin(tag(unit)); }
    /// Slow.
    bool is_free(uint64_t unit) const;
    /// Whether any run is in use. Slow.
    bool is_any_used() const;
    /// Whether runs follow each other up to the end, no two of them free, and those that are free are found
    /// from behind too. Goes through all runs. Of the free memory, which the program may have written to, it
    /// looks at nothing.
    bool is_valid() const noexcept;
    /// It is in use, and begins there. Says how many units it had.
    uint32_t give(uint32_t first);

    /// A run in use of at most `longest` units, which begins there, waits from now on: it is neither in use
    /// nor free. Says how many units it has; 0 where no such run begins there. Thread-safe, for any number.
    uint32_t set_waiting(uint64_t first, uint32_t longest) {
        uint8_t was = first < end() ? tag(first) : 0;
        const bool is_set =
            was != 0 && was <= longest &&
            __atomic_compare_exchange_n(tags_ + first, &was, static_cast<uint8_t>(waiting + was), false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        return is_set ? was : 0;
    }
    /// It is in use again. Thread-safe.
    void set_used(uint32_t first, uint32_t units) { set_tag(first, static_cast<uint8_t>(units)); }
    /// Runs that wait are no longer.
    static constexpr uint32_t most_waiting = 32;

    /// Units before it were in use at some time. Atomic.
    uint32_t end() const { return __atomic_load_n(&end_, __ATOMIC_RELAXED); }
    /// About so many that are free, and came back since the last discard.
    uint64_t idle_units() const { return idle_units_; }
    /// Calls discard(first, units) for each free run of at least so many units that it was not called for
    /// yet. It keeps the first list_bytes.
    template <class Discard>
    void discard_idle(uint32_t least_units, Discard discard) {
        MALLOOM_CHECK_FULL(is_valid());
        for (unsigned list = list_of(least_units); list < lists; ++list) {
            for (uint32_t next = heads_[list]; next != 0;) {
                FreeRun& run = free_run(next - 1);
                if (!run.is_discarded && length_at(next - 1) >= least_units) {
                    discard(next - 1, length_at(next - 1));
                    run.is_discarded = 1;
                }
                next = run.next;
            }
        }
        idle_units_ = 0;
    }

  private:
    static constexpr unsigned link_bits = 31;
    static constexpr uint32_t link_mask = (uint32_t{1} << link_bits) - 1;
    static_assert(most_units < link_mask);
    /// At the begin of a free run's memory, wherever that is. Links are numbers of units plus one; 0 is none.
    struct [[gnu::packed]] FreeRun {
        uint32_t next;
        uint32_t before : link_bits;
        uint32_t is_discarded : 1;
    };
    static_assert(sizeof(FreeRun) == list_bytes);

    // A list for each length up to 63 units, and four to each doubling from there on.
    static constexpr unsigned exact_lists = 64, exact_bits = 6, lists_a_doubling = 4;
    static constexpr unsigned lists = exact_lists + (32 - exact_bits) * lists_a_doubling;
    static unsigned list_of(uint32_t units);

    // Tags. In the middle of a run they are 0, or digits of a long run's length: none looks like a run in
    // use.
    static constexpr uint8_t free_bit = 0x80, length_bits = 0x7f;
    static constexpr uint8_t long_run = 64;       ///< shorter ones have their length here
    static constexpr uint8_t waiting = long_run;  ///< plus the length
    static_assert(waiting + most_waiting < free_bit);
    static constexpr unsigned digits = 5, digit_bits = 7;

    static bool is_used_begin(uint8_t tag) { return tag != 0 && tag <= long_run; }
    uint8_t tag(uint64_t unit) const { return __atomic_load_n(tags_ + unit, __ATOMIC_RELAXED); }
    void set_tag(uint64_t unit, uint8_t tag) { __atomic_store_n(tags_ + unit, tag, __ATOMIC_RELAXED); }
    bool begins_free(uint32_t unit) const { return tag(unit) > free_bit; }
    FreeRun& free_run(uint32_t first) const {
        return *reinterpret_cast<FreeRun*>(memory_ + first * unit_bytes_);
    }
    uint32_t length_at(uint32_t first) const;
    uint32_t free_before(uint32_t unit) const;
    uint32_t last_free() const { return free_before(end_); }
    void set_tags(uint32_t first, uint32_t units, uint8_t state);
    void clear_tags(uint32_t first, uint32_t units);
    void list(uint32_t first, uint32_t units, bool is_discarded);
    void unlist(uint32_t first, uint32_t units);
    bool is_linked(uint32_t link) const { return link == 0 || (link <= end_ && begins_free(link - 1)); }
    void end_idling(uint32_t units, bool were_discarded);
    uint32_t find(uint32_t units) const;
    uint32_t find_in_list(unsigned list, uint32_t units) const;
    uint32_t first_of_lists(unsigned from) const;

    uint8_t* tags_ = nullptr;
    uintptr_t memory_ = 0;
    size_t unit_bytes_ = 0;
    uint32_t end_ = 0;
    uint64_t idle_units_ = 0;
    uint64_t filled_[(lists + 63) / 64] = {};  ///< a bit for each list that has runs
    uint32_t heads_[lists] = {};               ///< links
};

}  // namespace malloom::heaps
