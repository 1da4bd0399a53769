// The page heap as one of the heaps that fronts drive (runtime/heaps/heap.h): over one region, with a lock.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/heaps/heap.h"
#include "runtime/heaps/pages/page_heap.h"
#include "runtime/platform/output.h"
#include "runtime/structures/thread_lock.h"

namespace malloom::heaps {

/// A handler that interrupts a call waits for ever: this is for hosts that ask from threads. What is no
/// object ends the program where it is freed.
template <class Pages>
class RegionPages {
  public:
    bool open(void* region, size_t bytes) {
        region_ = pages_.add_region(region, bytes);
        pages_.on_late_misuse([] { misused(pages::Wrong::freed_before, nullptr); });
        return region_ != nullptr;
    }

    void* allocate(const Request& request) {
        const structures::Locked locked(lock_);
        return request.alignment > Pages::Geometry::smallest
                   ? pages_.allocate_aligned(request.alignment, request.bytes)
                   : pages_.allocate(request.bytes);
    }
    void deallocate(void* object) {
        const structures::Locked locked(lock_);
        pages_.release(*region_, object, misused);
    }
    bool owns(const void* object) const {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(object) - reinterpret_cast<uintptr_t>(region_);
        return region_ != nullptr && offset / Pages::page_bytes < region_->pages;
    }
    size_t usable_size(const void* object) const { return Pages::usable_size(*region_, object); }
    bool resize(void* object, const Request& request) const {
        return fits_room(request.bytes, usable_size(object));
    }

    Pages& pages() { return pages_; }

  private:
    static void misused(pages::Wrong what, const void*) {
        platform::abort_with(what == pages::Wrong::freed_before
                                 ? "malloom: free of an object that was freed before"
                                 : "malloom: free of an address where no object begins");
    }

    Pages pages_;
    pages::Region* region_ = nullptr;
    structures::ThreadLock lock_;
};

}  // namespace malloom::heaps
