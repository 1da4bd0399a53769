// Finds out where the callers of a call site keep the object beside which the new one belongs: its companion.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/context/caller_state.h"

namespace malloom::context {

/// A program that links a new object into a list or tree holds, while it asks for the object, a pointer to
/// the one that will point to it: the graph's vertex that gets an edge, the last element of a list. This
/// monitor looks at the first requests of a site: what in the caller's hands pointed to an object that later
/// held a pointer to the new one? Objects with the same companion are likely to be visited together, whatever
/// the order in which they are made.
///
/// One thread at a time; memory of zeros is a new monitor.
class CompanionMonitor {
  public:
    /// Requests that are looked at in a row. Where the companions of these had no older objects yet, others
    /// are looked at after so many requests more, and after so many again.
    static constexpr uint32_t samples = 96;
    static constexpr uint32_t pauses[] = {1U << 11, 1U << 15};
    /// No companion is known.
    static constexpr uint32_t nowhere = ~uint32_t{0};

    /// Where objects begin and end; both functions must be safe for any word.
    struct Objects {
        const void* heap;
        /// Bytes of the object that begins at the address, 0 where none does. These may be read.
        size_t (*bytes_at)(const void* heap, uintptr_t address);
    };

    /// Observes the request of a caller and the object that it got. False where nothing more is to be
    /// learned.
    bool observe(const CallerState& caller, const void* object, const Objects& objects);

    /// Whether nothing was counted oftener than requests were looked at, and pointers are sought where
    /// objects are searched. Goes through all places. By whoever may observe.
    bool is_valid() const noexcept;

    bool is_done() const { return requests_ > samples; }
    /// The place (see CallerState) that holds the companion; `nowhere` where there is none, where companions
    /// have one object each, as a tree's nodes, or where companions are neighbours anyway, as requests in a
    /// row have the same one or each has the one before. Known when is_done.
    uint32_t place() const;
    /// Where in the companion the pointer to the new object was, in bytes.
    uint32_t offset_in_companion() const { return offsets_[place()]; }

  private:
    void judge_last(const Objects& objects);
    bool is_companion(uint32_t place) const;
    bool looks_again();
    bool has_elder(uint32_t place, uintptr_t word, const void* object, const Objects& objects) const;

    uint32_t requests_;                       ///< looked at in this row
    uint32_t rows_;                           ///< before it
    uint32_t paused_;                         ///< requests that are still to be left alone
    uint32_t agreeing_[CallerState::places];  ///< times that the word's object held the last new one, in a
                                              ///< row at the same offset
    uint32_t offsets_[CallerState::places];
    uint32_t elder_[CallerState::places];  ///< times that it pointed there to an older object of the size
    uint32_t
        changes_[CallerState::places];  ///< times that it was another than at the last request, or got by it
    uintptr_t words_[CallerState::places];  ///< at the last request
    uintptr_t object_;                      ///< that the last request got
};

}  // namespace malloom::context
