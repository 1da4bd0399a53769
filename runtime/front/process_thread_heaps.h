// The heaps of a process that have an instance a thread (runtime/heaps/threads/thread_heaps.h).
#pragma once

#include "runtime/heaps/bins/adapter/thread_bins.h"
#include "runtime/heaps/heap.h"
#include "runtime/heaps/pages/adapter/thread_pages.h"
#include "runtime/heaps/threads/thread_heaps.h"
#include "runtime/platform/output.h"

namespace malloom::front {

/// The calling thread's instances, or stand-ins, which are always busy: of a thread that has none yet, and of
/// one that may have none now.
extern constinit thread_local heaps::OwnedBins* own_bins
    [[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]];
extern constinit thread_local heaps::OwnedPages* own_pages
    [[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]];
template <class Heap>
heaps::Owned<Heap>*& own_instance();
template <>
inline heaps::OwnedBins*& own_instance<heaps::BinsOfThread>() {
    return own_bins;
}
template <>
inline heaps::OwnedPages*& own_instance<heaps::PagesOfThread>() {
    return own_pages;
}

/// Knows which instance is the calling thread's, and what ends of threads and forks mean to it. Heap is a
/// heaps::ThreadHeap. At most one of each is open. All zero it claims and owns nothing.
template <class Heap>
class ProcessThreadHeap {
  public:
    /// Of address space: as much as is of use. Less will do.
    static constexpr size_t most_region_bytes = size_t{64} << 30;

    /// As of a region heap, but that addresses alone will do (ThreadHeaps::open). Watches for ends of threads
    /// and forks from now on.
    bool open(void* region, size_t bytes);
    /// For tests: no other thread is left, and nothing is freed any more.
    void close();

    [[gnu::always_inline]] void* allocate(const heaps::Request& request) {
        void* const object = heap_.allocate(*own_instance<Heap>(), request);
        return object != nullptr ? object : allocate_slow(request);
    }
    [[gnu::always_inline]] void deallocate(void* object) { heap_.release(*own_instance<Heap>(), object); }
    // As of ThreadHeaps.
    [[gnu::always_inline]] void* allocate_at_hand(size_t bytes)
        requires heaps::HasAtHand<Heap>
    {
        return heap_.allocate_at_hand(*own_instance<Heap>(), bytes);
    }
    [[gnu::always_inline]] bool release_at_hand(void* object)
        requires heaps::HasAtHand<Heap>
    {
        return heap_.release_at_hand(*own_instance<Heap>(), object);
    }
    [[gnu::always_inline]] bool owns(const void* object) const { return heap_.owns(object); }
    size_t usable_size(const void* object) const { return heap_.usable_size(object); }
    bool resize(void* object, const heaps::Request& request);

    /// For the line of statistics, behind the number of requests. Nothing of one that is not open.
    void describe(platform::Line& line) const;

  private:
    [[gnu::noinline]] void* allocate_slow(const heaps::Request& request);

    heaps::ThreadHeaps<Heap> heap_;
};

using ProcessBins = ProcessThreadHeap<heaps::BinsOfThread>;
using ProcessPages = ProcessThreadHeap<heaps::PagesOfThread>;
extern template class ProcessThreadHeap<heaps::BinsOfThread>;
extern template class ProcessThreadHeap<heaps::PagesOfThread>;

static_assert(heaps::RegionHeap<ProcessBins> && heaps::RegionHeap<ProcessPages>);

}  // namespace malloom::front
