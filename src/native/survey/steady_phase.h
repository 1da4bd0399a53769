// The order in which a program uses its objects once it has built them, found while the accesses stream by.
#pragma once

#include <stdint.h>

#include <span>
#include <vector>

#include "src/native/survey/usage.h"

namespace malloom::native {

/// What counts as steady. Units: accesses.
struct Steadiness {
    uint64_t stretch = 1;  ///< the stream is cut into stretches of so many
    uint64_t rarity =
        1;  ///< a stretch is steady when at most one access in so many is the first to its object
    uint64_t least = 0;  ///< phases shorter than this do not count
};

/// The longest run of steady stretches, the earliest of equal ones, and the position at which each request is
/// first used in it. One pass: what was used since the run of stretches began is kept in
/// RequestUsage::steady_use, and copied when the run ends as the longest so far, which is seldom.
class SteadyPhase {
  public:
    /// `usage` is the caller's, lives as long as this, and is told of each run of accesses after this was.
    SteadyPhase(const Steadiness& steadiness, std::span<RequestUsage> usage);

    /// Accesses to `request` from position `first` to `last`. Positions grow from call to call.
    void add_run(uint32_t request, uint64_t first, uint64_t last) {
        reach(first);
        first_uses_ += usage_[request].first_access == never ? 1 : 0;
        note(request, first);
        while (last >= stretch_end_) {
            reach(stretch_end_);
            note(request, stretch_end_ - steadiness_.stretch);
        }
    }

    /// Ends the stream after `accesses`.
    void finish(uint64_t accesses);

    /// First access of the phase and the one after its last stretch; equal where there is none.
    uint64_t begin() const { return begin_; }
    uint64_t end() const { return end_; }

    /// Per request the position at which the phase first uses it; `never` where it does not. Empty where
    /// there is no phase. May be taken once, after finish().
    std::vector<uint64_t>&& take_first_uses() { return std::move(first_uses_in_phase_); }

  private:
    void reach(uint64_t position) {
        while (position >= stretch_end_) end_stretch(steadiness_.stretch);
    }
    void note(uint32_t request, uint64_t position) {
        // True for an earlier use than the run's first, and for none.
        uint64_t& use = usage_[request].steady_use;
        if (use - run_begin_ > position - run_begin_) use = position;
    }
    void end_stretch(uint64_t accesses);
    void end_run(uint64_t end);

    Steadiness steadiness_;
    std::span<RequestUsage> usage_;
    uint64_t stretch_end_;
    uint64_t first_uses_ = 0;  ///< in the current stretch
    uint64_t run_begin_ = 0;
    uint64_t begin_ = 0, end_ = 0;
    std::vector<uint64_t> first_uses_in_phase_;
};

}  // namespace malloom::native
