#include "src/native/survey/steady_phase.h"

#include <algorithm>

namespace malloom::native {

SteadyPhase::SteadyPhase(const Steadiness& steadiness, std::span<RequestUsage> usage)
    : steadiness_(steadiness), usage_(usage), stretch_end_(std::max<uint64_t>(steadiness.stretch, 1)) {
    steadiness_.stretch = stretch_end_;
}

void SteadyPhase::end_stretch(uint64_t accesses) {
    if (first_uses_ * steadiness_.rarity > accesses) {
        end_run(stretch_end_ - steadiness_.stretch);
        run_begin_ = stretch_end_;
    }
    first_uses_ = 0;
    stretch_end_ += steadiness_.stretch;
}

void SteadyPhase::end_run(uint64_t end) {
    const uint64_t length = end - run_begin_;
    if (length == 0 || length < steadiness_.least || length <= end_ - begin_) return;
    begin_ = run_begin_;
    end_ = end;
    first_uses_in_phase_.resize(usage_.size());
    for (size_t i = 0; i < usage_.size(); ++i) {
        const uint64_t use = usage_[i].steady_use;
        first_uses_in_phase_[i] = use >= begin_ && use < end_ ? use : never;
    }
}

void SteadyPhase::finish(uint64_t accesses) {
    reach(accesses);
    const uint64_t stretch_begin = stretch_end_ - steadiness_.stretch;
    if (accesses > stretch_begin) end_stretch(accesses - stretch_begin);
    end_run(stretch_end_ - steadiness_.stretch);
}

}  // namespace malloom::native
