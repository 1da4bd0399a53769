#include "src/native/bins/replay.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "include/malloom/bins.h"

namespace malloom::native {

namespace {

/// Addresses, of which memory is what is touched.
class Region {
  public:
    explicit Region(uint64_t bytes)
        : bytes_(bytes),
          start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                      0)) {
        if (start_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
    }
    ~Region() { munmap(start_, bytes_); }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    void* start() const { return start_; }
    uint64_t bytes() const { return bytes_; }
    uint64_t offset_of(const void* address) const {
        return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(start_);
    }

  private:
    uint64_t bytes_;
    void* start_;
};

/// A heap that counts the steps in its lists.
class CountingHeap {
  public:
    CountingHeap(const ReplayHeap& wanted, const Region& region, unsigned counted)
        : region_(region), storage_(words_of(wanted.begins)) {
        malloom_bins_settings settings = {};
        settings.alignment = wanted.alignment;
        settings.bins = static_cast<unsigned>(wanted.begins.size());
        settings.begins = wanted.begins.empty() ? nullptr : wanted.begins.data();
        settings.options = counted | (wanted.is_bounded ? MALLOOM_BINS_BOUNDED : 0);
        settings.storage = storage_.data();
        settings.storage_bytes = storage_.size() * sizeof(uint64_t);
        if (malloom_bins_open(&heap_, &settings) != MALLOOM_BINS_OK ||
            malloom_bins_add_region(&heap_, region.start(), region.bytes(), 0) != MALLOOM_BINS_OK) {
            throw std::invalid_argument("no heap can have these bins");
        }
        counts_.resize(heap_.bins);
    }
    CountingHeap(const CountingHeap&) = delete;
    CountingHeap& operator=(const CountingHeap&) = delete;

    void* allocate(uint64_t bytes, uint32_t alignment) {
        void* object = alignment == 0 ? malloom_bins_alloc(&heap_, bytes)
                                      : malloom_bins_aligned(&heap_, alignment, bytes);
        if (object != nullptr) {
            const uint64_t end = region_.offset_of(object) + malloom_bins_usable_size(&heap_, object);
            most_held_ = std::max(most_held_, end);
        }
        return object;
    }
    void release(void* object) { malloom_bins_free(&heap_, object); }

    /// Before the counts, of 32 bits, are full.
    void take_counts() {
        for (unsigned bin = 0; bin < heap_.bins; ++bin) {
            counts_[bin] += std::exchange(heap_.counts[bin], 0);
        }
    }
    const std::vector<uint64_t>& counts() const { return counts_; }
    uint64_t most_held() const { return most_held_; }
    uint64_t failures() const { return heap_.failures; }
    bool is_whole() const { return malloom_bins_check(&heap_) == MALLOOM_BINS_OK; }

  private:
    static size_t words_of(std::span<const uint32_t> begins) {
        const size_t bins = begins.empty() ? size_t{MALLOOM_BINS_ORIGINAL_COUNT} : begins.size();
        return MALLOOM_BINS_STORAGE(bins, 1) / sizeof(uint64_t) + 1;
    }

    const Region& region_;
    std::vector<uint64_t> storage_;
    malloom_bins heap_ = {};
    uint64_t most_held_ = 0;
    std::vector<uint64_t> counts_;
};

void replay(const RecordedRequests& recorded, CountingHeap& heap) {
    constexpr size_t between_counts = 4096;
    std::vector<void*> objects(recorded.sizes.size());
    for (size_t i = 0; i < recorded.events.size(); ++i) {
        const int64_t event = recorded.events[i];
        const auto number = static_cast<size_t>(event < 0 ? ~event : event);
        if (number >= objects.size()) {
            throw std::invalid_argument("an event of no request");
        }
        if (event < 0) {
            heap.release(objects[number]);
        } else {
            objects[number] = heap.allocate(recorded.sizes[number], recorded.alignments[number]);
        }
        if (i % between_counts == 0) {
            heap.take_counts();
        }
    }
    heap.take_counts();
}

}  // namespace

// Twice, as a heap has one count for each bin.
ReplayedBins replay_bins(const RecordedRequests& recorded, const ReplayHeap& wanted) {
    const Region for_steps(wanted.region_bytes);
    CountingHeap heap(wanted, for_steps, MALLOOM_BINS_COUNT_STEPS);
    replay(recorded, heap);
    const Region for_insertions(wanted.region_bytes);
    CountingHeap again(wanted, for_insertions, MALLOOM_BINS_COUNT_INSERTIONS);
    replay(recorded, again);
    return {heap.most_held(), std::accumulate(heap.counts().begin(), heap.counts().end(), uint64_t{0}),
            heap.failures(), heap.is_whole() && again.is_whole(), again.counts()};
}

}  // namespace malloom::native
