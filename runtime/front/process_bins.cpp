#include "runtime/front/process_bins.h"

#include "runtime/front/misuse.h"
#include "runtime/front/thread_instances.h"

namespace malloom::front {

using heaps::OwnedBins;
using heaps::ThreadBins;

namespace {

// Stand-ins, always busy: of a thread that has no instance yet, and of one that may have none now.
constexpr OwnedBins stand_in() {
    OwnedBins none = {};
    none.is_busy = true;
    return none;
}
constinit OwnedBins no_bins = stand_in();
constinit OwnedBins away_bins = stand_in();

/// The calling thread's instance, or a stand-in.
constinit thread_local OwnedBins* own_bins [[gnu::tls_model("initial-exec")]] = &no_bins;

struct BinThreads {
    static OwnedBins*& own() { return own_bins; }
    static OwnedBins& none() { return no_bins; }
    static OwnedBins& away() { return away_bins; }
};
constinit ThreadInstances<ThreadBins, OwnedBins, BinThreads> threads;
using OfThreads = Callbacks<threads, OwnedBins>;

[[gnu::constructor(101)]] void watch_forks() {
    OfThreads::watch_forks();
}

}  // namespace

bool ProcessBins::open(void* region, size_t bytes) {
    return threads.open(heap_, OfThreads::on_thread_end, [&] {
        heap_.on_misuse(end_by_bins_misuse);
        return heap_.open(region, bytes);
    });
}

void ProcessBins::close() {
    if (threads.close(heap_)) {
        heap_.close();
    }
}

void* ProcessBins::allocate(const heaps::Request& request) {
    void* object = heap_.allocate(*own_bins, request);
    return object != nullptr || own_bins != &no_bins ? object : allocate_first(request);
}

void* ProcessBins::allocate_first(const heaps::Request& request) {
    return heap_.allocate(threads.joined(), request);
}

void ProcessBins::deallocate(void* object) {
    heap_.release(*own_bins, object);
}

bool ProcessBins::resize(void* object, const heaps::Request& request) {
    return heap_.resize(*own_bins, object, request);
}

void ProcessBins::describe(platform::Line& line) const {
    if (!heap_.is_open()) {
        return;
    }
    const heaps::ThreadBinsCounts counts = heap_.counts();
    line.text(" (").number(counts.instances).text(counts.instances == 1 ? " instance, " : " instances, ");
    line.number(counts.regions).text(counts.regions == 1 ? " region, at most " : " regions, at most ");
    line.bytes(counts.most_bytes).text(", ").number(counts.freed_by_others).text(" freed by other threads)");
}

}  // namespace malloom::front
