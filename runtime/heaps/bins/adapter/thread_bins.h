// The bin heap as one of many in a process, an instance a thread (runtime/heaps/threads/thread_heaps.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/heaps/bins/regions.h"
#include "runtime/heaps/threads/thread_heaps.h"

namespace malloom::heaps {

/// A ThreadHeap. Bounded: programs may leave any number of free chunks in a bin, and none of them may make a
/// call slow.
struct BinsOfThread {
    using Region = bins::Region;

    bool open(const ThreadMisuseHook& told);
    bool add_region(void* start, size_t bytes);
    void remove_region(const Region& region);
    Region* first_region() const { return bins.regions; }
    static Region* next_region(const Region& region) { return region.next; }
    static size_t room_of(const Region& region) { return bins::room_of(region); }
    static bool is_empty(const Region& region) {
        return region.first->head == (bins::room_of(region) | bins::before_lives);
    }

    void* allocate(const Request& request);
    void release(const Region& region, void* object);
    bool resize(const Region& region, void* object, size_t bytes);
    /// By its own tag alone: its neighbours' may just be changing.
    void judge(const Region& region, const void* object) const;
    void release_later(void* object) { malloom_bins_free_later(&bins, object); }
    bool has_deferred() const { return structures::load(bins.deferred) != 0; }
    void take_deferred();
    void forget_deferred() { bins.deferred = 0; }
    static void settle() {}
    static size_t usable_size(const Region& region, const void* object);
    /// The tags beside an address tell what is there in most cases, those of all chunks before it for sure.
    static ThreadMisuse looked_into(const Region& region, const void* object, ThreadMisuse what);

    malloom_bins bins;
    malloom_bins_hooks hooks;
    ThreadMisuseHook hook;
    uint64_t storage[MALLOOM_BINS_LISTS(MALLOOM_BINS_ORIGINAL_COUNT, 1) / sizeof(uint64_t)];
};

using OwnedBins = Owned<BinsOfThread>;
using ThreadBins = ThreadHeaps<BinsOfThread>;
extern template class ThreadHeaps<BinsOfThread>;

}  // namespace malloom::heaps
