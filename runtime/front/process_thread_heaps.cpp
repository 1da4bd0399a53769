#include "runtime/front/process_thread_heaps.h"

#include "runtime/front/misuse.h"
#include "runtime/front/thread_owned.h"

namespace malloom::front {

namespace {

// Stand-ins, always busy: of a thread that has no instance yet, and of one that may have none now.
template <class Heap>
constexpr heaps::Owned<Heap> stand_in() {
    heaps::Owned<Heap> none = {};
    none.is_busy = true;
    return none;
}
template <class Heap>
constinit heaps::Owned<Heap> no_instance = stand_in<Heap>();
template <class Heap>
constinit heaps::Owned<Heap> away_instance = stand_in<Heap>();

template <class Heap>
struct Threads {
    static heaps::Owned<Heap>*& own() { return own_instance<Heap>(); }
    static heaps::Owned<Heap>& none() { return no_instance<Heap>; }
    static heaps::Owned<Heap>& away() { return away_instance<Heap>; }
};
template <class Heap>
constinit ThreadOwned<heaps::ThreadHeaps<Heap>, heaps::Owned<Heap>, Threads<Heap>> threads;
template <class Heap>
using OfThreads = Callbacks<threads<Heap>, heaps::Owned<Heap>>;

[[gnu::constructor(101)]] void watch_forks() {
    OfThreads<heaps::BinsOfThread>::watch_forks();
    OfThreads<heaps::PagesOfThread>::watch_forks();
}

}  // namespace

constinit thread_local heaps::OwnedBins* own_bins = &no_instance<heaps::BinsOfThread>;
constinit thread_local heaps::OwnedPages* own_pages = &no_instance<heaps::PagesOfThread>;

template <class Heap>
bool ProcessThreadHeap<Heap>::open(void* region, size_t bytes) {
    return threads<Heap>.open(heap_, OfThreads<Heap>::on_thread_end, [&] {
        heap_.on_misuse(end_by_thread_misuse);
        return heap_.open(region, bytes);
    });
}

template <class Heap>
void ProcessThreadHeap<Heap>::close() {
    if (threads<Heap>.close(heap_)) {
        heap_.close();
    }
}

// A thread's first request, and what no instance serves.
template <class Heap>
void* ProcessThreadHeap<Heap>::allocate_slow(const heaps::Request& request) {
    return own_instance<Heap>() == &no_instance<Heap> ? heap_.allocate(threads<Heap>.joined(), request)
                                                      : nullptr;
}

template <class Heap>
bool ProcessThreadHeap<Heap>::resize(void* object, const heaps::Request& request) {
    return heap_.resize(*own_instance<Heap>(), object, request);
}

template <class Heap>
void ProcessThreadHeap<Heap>::describe(platform::Line& line) const {
    if (!heap_.is_open()) {
        return;
    }
    const heaps::ThreadHeapsCounts counts = heap_.counts();
    line.text(" (").number(counts.instances).text(counts.instances == 1 ? " instance, " : " instances, ");
    line.number(counts.regions).text(counts.regions == 1 ? " region, at most " : " regions, at most ");
    line.bytes(counts.most_bytes).text(", ").number(counts.freed_by_others).text(" freed by other threads)");
}

template class ProcessThreadHeap<heaps::BinsOfThread>;
template class ProcessThreadHeap<heaps::PagesOfThread>;

}  // namespace malloom::front
