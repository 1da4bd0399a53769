#include "record/preload/stage_guard.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "record/preload/exports.h"
#include "record/preload/flush_space.h"
#include "record/preload/image.h"
#include "record/preload/process_chunk.h"
#include "record/preload/windows.h"

namespace malloom::record {

using formats::profile::ProcessState;

namespace {

// What SIGBUS did before.
struct sigaction before;

struct Stage {
    void* start;
    size_t bytes;

    bool holds(const void* address) const {
        return start != nullptr &&
               reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(start) < bytes;
    }
    // Memory of zeros in its place: what is under way goes on. False where there is none.
    bool replace() const {
        constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
        return mmap(start, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
    }
};

Stage process_stage() {
    return {image->contexts.header, stream::process_stage_bytes(context_stage_bytes, stage_capacity)};
}

Stage stage_of(const ThreadSlot& slot) {
    return {slot.stage.header, stream::event_stage_bytes(stage_capacity)};
}

// Zeros in its place say that no window is open.
Stage windows_stage() {
    return {const_cast<void*>(window_control()), window_control_bytes};
}

// Nothing where it is in none. The first thread's lies in the process's own.
Stage stage_with(const void* address) {
    if (windows_stage().holds(address)) return windows_stage();
    const Stage own = process_stage();
    if (own.holds(address)) return own;
    const Stage shared = stage_of(image->shared_slot);
    if (shared.holds(address)) return shared;
    const uint32_t used = image->slots_used.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < used && i < max_threads; ++i) {
        const Stage stage = stage_of(image->slots[i]);
        if (stage.holds(address)) return stage;
    }
    return {nullptr, 0};
}

bool stop_without(const void* address) {
    if (image == nullptr) return false;
    const Stage lost = stage_with(address);
    if (lost.start == nullptr || !lost.replace()) return false;
    const bool was_recording = image->phase.load(std::memory_order_acquire) == Phase::recording;
    stop_image(ProcessState::failed);
    // The process's own file may be cut too, and cannot say so then.
    if (was_recording) append_end_chunk(record_process, ProcessState::failed);
    return true;
}

void hand_on(int number, siginfo_t* information, void* context) {
    if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(number, information, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(number);
    // The fault comes again after this; what somebody has sent does not.
    const bool is_sent = information->si_code <= 0;
    if (is_sent && before.sa_handler == SIG_IGN) return;
    sigaction(number, &before, nullptr);
    if (is_sent) raise(number);
}

void on_bus_error(int number, siginfo_t* information, void* context) {
    const int error = errno;
    if (information->si_code <= 0 || !stop_without(information->si_addr))
        hand_on(number, information, context);
    errno = error;
}

}  // namespace

// Not deferred: the recording is stopped in another stage, which may be cut too.
void guard_stages() {
    static constinit bool is_there = false;
    if (is_there) return;
    is_there = true;
    struct sigaction handler = {};
    handler.sa_sigaction = on_bus_error;
    handler.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
    sigemptyset(&handler.sa_mask);
    sigaction(SIGBUS, &handler, &before);
}

}  // namespace malloom::record
