// The bin heap over a region, whose bins are laid out anew again and again while it is used.
#pragma once

#include <atomic>

#include "runtime/heaps/bins/adapter/region_bins.h"

namespace malloom::tests {

/// By one in so many objects that are given back; 0: by what lies in the heap.
template <unsigned distance>
class LearningBins : public heaps::RegionBinsIn<MALLOOM_BINS_STORAGE(MALLOOM_BINS_ORIGINAL_COUNT, 1)> {
  public:
    bool open(void* region, size_t bytes) {
        return RegionBinsIn::open(region, bytes) &&
               malloom_bins_count_one_in(&bins_, distance) == MALLOOM_BINS_OK;
    }
    void deallocate(void* object) {
        RegionBinsIn::deallocate(object);
        if (++released_ % 256 == 0) {
            lay_out_anew();
        }
    }

  private:
    /// There may be no free chunk that is large enough for what it writes.
    void lay_out_anew() {
        if (distance == 0) {
            malloom_bins_count_chunks(&bins_);
        }
        malloom_bins_rehash(&bins_, MALLOOM_BINS_BY_OCTAVE, nullptr);
        malloom_bins_rehash_if_worth(&bins_, 1'000'000, 0, MALLOOM_BINS_BY_COST, nullptr);
    }

    std::atomic<unsigned> released_ = 0;
};

}  // namespace malloom::tests
