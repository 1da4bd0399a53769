// A bin heap with memory of its own, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "include/malloom/bins.h"

namespace malloom::tests {

/// What the heap said of calls that failed.
struct Heard {
    std::vector<malloom_bins_result> failures;
    size_t locks = 0, unlocks = 0, made = 0, freed = 0;
};

inline malloom_bins_hooks hooks_of(Heard& noticed) {
    return {
        .context = &noticed,
        .lock = [](void* context) { ++static_cast<Heard*>(context)->locks; },
        .unlock = [](void* context) { ++static_cast<Heard*>(context)->unlocks; },
        .failed = [](void* context, malloom_bins_result why,
                     uintptr_t) { static_cast<Heard*>(context)->failures.push_back(why); },
        .trace =
            [](void* context, const void*, size_t bytes) {
                ++(bytes != 0 ? static_cast<Heard*>(context)->made : static_cast<Heard*>(context)->freed);
            },
    };
}

/// Opens with these settings, to which it adds storage, and hooks where it is to hear of what happens, and
/// takes one region.
class SmallHeap {
  public:
    explicit SmallHeap(size_t region_bytes, malloom_bins_settings settings = {}, bool samples = true)
        : storage_(
              MALLOOM_BINS_STORAGE(std::max(settings.bins != 0 ? settings.bins : 127u, settings.most_bins),
                                   settings.levels != 0 ? settings.levels : 1u) /
                  sizeof(uint64_t) +
              1),
          region_(std::make_unique<std::max_align_t[]>(region_bytes / sizeof(std::max_align_t) + 1)),
          hooks_(hooks_of(noticed)) {
        settings.storage = storage_.data();
        settings.storage_bytes = storage_.size() * sizeof(uint64_t);
        settings.hooks = samples ? &hooks_ : nullptr;
        EXPECT_EQ(malloom_bins_open(&heap, &settings), MALLOOM_BINS_OK);
        if (region_bytes != 0) {
            EXPECT_EQ(malloom_bins_add_region(&heap, region(), region_bytes, 0), MALLOOM_BINS_OK);
        }
    }
    ~SmallHeap() { EXPECT_EQ(noticed.locks, noticed.unlocks); }
    SmallHeap(const SmallHeap&) = delete;
    SmallHeap& operator=(const SmallHeap&) = delete;

    void* region() { return region_.get(); }
    malloom_bins_statistics statistics() const {
        malloom_bins_statistics found;
        malloom_bins_statistics_of(&heap, &found);
        return found;
    }
    bool is_whole() const { return malloom_bins_check(&heap) == MALLOOM_BINS_OK; }

    malloom_bins heap = {};
    Heard noticed;

  private:
    std::vector<uint64_t> storage_;
    std::unique_ptr<std::max_align_t[]> region_;
    malloom_bins_hooks hooks_;
};

}  // namespace malloom::tests
