// The bin heap as one of the heaps that fronts drive (runtime/heaps/heap.h): over one region, with a lock.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "include/malloom/bins.h"
#include "runtime/heaps/heap.h"
#include "runtime/structures/thread_lock.h"

namespace malloom::heaps {

/// dlmalloc's bins, with storage of so many bytes. A handler that interrupts a call waits for ever: this is
/// for hosts that ask from threads.
template <size_t storage_bytes>
class RegionBinsIn {
  public:
    bool open(void* region, size_t bytes) {
        hooks_.context = &lock_;
        hooks_.lock = [](void* lock) { static_cast<structures::ThreadLock*>(lock)->lock(); };
        hooks_.unlock = [](void* lock) { static_cast<structures::ThreadLock*>(lock)->unlock(); };
        malloom_bins_settings settings = {};
        settings.alignment = alignment;
        settings.hooks = &hooks_;
        settings.storage = storage_;
        settings.storage_bytes = sizeof storage_;
        return malloom_bins_open(&bins_, &settings) == MALLOOM_BINS_OK &&
               malloom_bins_add_region(&bins_, region, bytes, 0) == MALLOOM_BINS_OK;
    }

    void* allocate(const Request& request) {
        return request.alignment > alignment ? malloom_bins_aligned(&bins_, request.alignment, request.bytes)
                                             : malloom_bins_alloc(&bins_, request.bytes);
    }
    void deallocate(void* object) { malloom_bins_free(&bins_, object); }
    bool owns(const void* object) const { return malloom_bins_owns(&bins_, object) != 0; }
    /// Tags change with the neighbours.
    size_t usable_size(const void* object) const {
        const structures::Locked locked(lock_);
        return malloom_bins_usable_size(&bins_, object);
    }
    bool resize(void* object, const Request& request) const {
        return fits_room(request.bytes, usable_size(object));
    }

  protected:
    malloom_bins bins_ = {};

  private:
    static constexpr size_t alignment = 16;

    malloom_bins_hooks hooks_ = {};
    mutable structures::ThreadLock lock_;
    uint64_t storage_[storage_bytes / sizeof(uint64_t) + 1] = {};
};

using RegionBins = RegionBinsIn<MALLOOM_BINS_LISTS(MALLOOM_BINS_ORIGINAL_COUNT, 1)>;

static_assert(RegionHeap<RegionBins>);

}  // namespace malloom::heaps
