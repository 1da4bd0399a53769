#include "runtime/front/process_bins.h"

#include <limits.h>
#include <pthread.h>

#include "runtime/front/misuse.h"

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

pthread_key_t end_key;
bool is_watching = false;
ThreadBins* watched = nullptr;

// Destructors of other keys may still use the heap, so the key is set again until the last round but one.
void on_thread_end(void* instance) {
    auto* self = static_cast<OwnedBins*>(instance);
    if (++self->rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
        pthread_setspecific(end_key, self);
        return;
    }
    own_bins = &away_bins;
    if (watched != nullptr) {
        watched->leave(*self);
    }
}

// Other handlers of the fork may allocate: the forking thread has no instance while the heap is locked.
OwnedBins* forking = nullptr;  // under the heap's lock

void before_fork() {
    if (watched != nullptr) {
        OwnedBins* self = own_bins;
        own_bins = &away_bins;
        watched->before_fork();
        forking = self;
    }
}
void after_fork() {
    if (watched != nullptr) {
        OwnedBins* self = forking;
        watched->after_fork();
        own_bins = self;
    }
}
void after_fork_in_child() {
    if (watched != nullptr) {
        OwnedBins* self = forking;
        watched->after_fork_in_child(*self);
        own_bins = self;
    }
}

/// As the pools do: before the program's own handlers, which then come while nothing is locked.
[[gnu::constructor(101)]] void watch_forks() {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

}  // namespace

bool ProcessBins::open(void* region, size_t bytes) {
    if (!is_watching && pthread_key_create(&end_key, on_thread_end) != 0) {
        return false;
    }
    is_watching = true;
    heap_.on_misuse(end_by_bins_misuse);
    if (!heap_.open(region, bytes)) {
        return false;
    }
    watched = &heap_;
    return true;
}

void ProcessBins::close() {
    if (watched == &heap_) {
        pthread_setspecific(end_key, nullptr);
        own_bins = &no_bins;
        watched = nullptr;
        heap_.close();
    }
}

void* ProcessBins::allocate(const heaps::Request& request) {
    void* object = heap_.allocate(*own_bins, request);
    return object != nullptr || own_bins != &no_bins ? object : allocate_first(request);
}

void* ProcessBins::allocate_first(const heaps::Request& request) {
    if (!heap_.is_open()) {
        return nullptr;
    }
    own_bins = &away_bins;  // what follows may allocate
    OwnedBins* self = heap_.join();
    if (self != nullptr) {
        self->rounds = 0;
        pthread_setspecific(end_key, self);
    }
    own_bins = self != nullptr ? self : &no_bins;
    return heap_.allocate(*own_bins, request);
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
