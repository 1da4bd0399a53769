#include "runtime/front/process_thread_heaps.h"

#include "runtime/front/misuse.h"
#include "runtime/front/thread_instances.h"

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

/// The calling thread's instance, or a stand-in.
template <class Heap>
constinit thread_local heaps::Owned<Heap>* own_instance [[gnu::tls_model("initial-exec")]] =
    &no_instance<Heap>;

template <class Heap>
struct Threads {
    static heaps::Owned<Heap>*& own() { return own_instance<Heap>; }
    static heaps::Owned<Heap>& none() { return no_instance<Heap>; }
    static heaps::Owned<Heap>& away() { return away_instance<Heap>; }
};
template <class Heap>
constinit ThreadInstances<heaps::ThreadHeaps<Heap>, heaps::Owned<Heap>, Threads<Heap>> threads;
template <class Heap>
using OfThreads = Callbacks<threads<Heap>, heaps::Owned<Heap>>;

[[gnu::constructor(101)]] void watch_forks() {
    OfThreads<heaps::BinsOfThread>::watch_forks();
    OfThreads<heaps::PagesOfThread>::watch_forks();
}

}  // namespace

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

template <class Heap>
void* ProcessThreadHeap<Heap>::allocate(const heaps::Request& request) {
    heaps::Owned<Heap>* const own = own_instance<Heap>;
    void* object = heap_.allocate(*own, request);
    return object != nullptr || own != &no_instance<Heap> ? object : allocate_first(request);
}

template <class Heap>
void* ProcessThreadHeap<Heap>::allocate_first(const heaps::Request& request) {
    return heap_.allocate(threads<Heap>.joined(), request);
}

template <class Heap>
void ProcessThreadHeap<Heap>::deallocate(void* object) {
    heap_.release(*own_instance<Heap>, object);
}

template <class Heap>
bool ProcessThreadHeap<Heap>::resize(void* object, const heaps::Request& request) {
    return heap_.resize(*own_instance<Heap>, object, request);
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
