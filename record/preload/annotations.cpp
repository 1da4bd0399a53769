// The calls of include/malloom/malloom.h, recorded.
#include "include/malloom/malloom.h"

#include <errno.h>
#include <unistd.h>

#include "record/preload/recording_heap.h"
#include "runtime/platform/output.h"

namespace malloom::record {

namespace {

void record_annotation(EventKind kind, const void* object, uint64_t size) {
    if (options.accesses == AccessMode::annotated) record_event(kind, object, size);
}

// The annotation comes first: `near` speaks of the thread's next allocation.
void* allocate_near(size_t bytes, const void* companion) {
    const context::Caller caller = context::current_caller();
    record_annotation(EventKind::near, companion, 0);
    return RecordingHeap{}.allocate(bytes, 0, caller);
}

void* allocate_zeroed_near(size_t count, size_t bytes, const void* companion) {
    const context::Caller caller = context::current_caller();
    size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        errno = ENOMEM;
        return nullptr;
    }
    record_annotation(EventKind::near, companion, 0);
    return RecordingHeap{}.allocate_zeroed(total, caller);
}

void touch(const void* object, unsigned weight) {
    record_annotation(EventKind::touch, object, weight);
}

void stop_recording() {
    record_event(EventKind::stop, nullptr, 0);
    if (image != nullptr) stop_for_good();
}

void status() {
    platform::Line line;
    line.text("malloom: recording: ")
        .number(__atomic_load_n(&record_tickets, __ATOMIC_RELAXED))
        .text(" events, ");
    line.number(contexts.size()).text(" contexts").write_to(STDERR_FILENO);
}

}  // namespace

}  // namespace malloom::record

extern "C" [[gnu::visibility("default")]] const malloom_calls malloom_calls = {
    1,
    malloom::record::allocate_near,
    malloom::record::allocate_zeroed_near,
    malloom::record::touch,
    malloom::record::stop_recording,
    malloom::record::status,
};
