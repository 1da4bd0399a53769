#include "record/preload/image.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "record/preload/exports.h"
#include "record/preload/flush_space.h"
#include "record/preload/process_chunk.h"
#include "record/preload/stage_guard.h"
#include "record/preload/windows.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/output.h"
#include "runtime/platform/real_allocator.h"
#include "runtime/platform/undisturbed.h"

namespace malloom::record {

using formats::profile::ProcessState;

// constinit, all of them: requests come before constructors.
constinit Image* image = nullptr;
constinit stream::ProfileFile profile;
constinit Options options;

namespace {

// What a fork leaves alone, because all images of the process share it.
struct Inherited {
    std::atomic<bool> options_read = false;
    std::atomic<bool> forbidden = false;      // no further window is recorded
    std::atomic<bool> keeps_profile = false;  // as the process may not open it again
    bool image_is_wiped = false;              // by the kernel; those before 4.14 do not
    bool recorded = false;                    // some image before this one recorded
    bool identity_fresh = false;              // the fork handler has given this image its identity
    uint64_t parent = 0;                      // identity of the image that forked this one; 0: none
};
constinit Inherited inherited;

uint64_t nanoseconds(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Grows with the start time (microseconds since the recording began), and differs between processes of the
// same one, and between windows. A clock that was set back says nothing: then it differs alone.
uint64_t new_identity() {
    const uint64_t now = nanoseconds(CLOCK_REALTIME);
    const uint64_t created = has_windows() ? windows_created() : profile.created();
    const uint64_t since = (now > created ? now - created : nanoseconds(CLOCK_MONOTONIC)) >> 10;
    return (since + 1) << stream::pid_bits | stream::pid_of(static_cast<uint64_t>(getpid()));
}

size_t image_bytes() {
    return platform::round_up(sizeof(Image), platform::page_bytes());
}

// Without a lock, which would lie in memory that a fork copies. Who loses the race takes the winner's.
bool map_image() {
    void* start = platform::map_pages(image_bytes());
    if (start == nullptr) return false;
    inherited.image_is_wiped = madvise(start, image_bytes(), MADV_WIPEONFORK) == 0;
    Image* none = nullptr;
    auto* const mine = static_cast<Image*>(start);
    if (!__atomic_compare_exchange_n(&image, &none, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        platform::unmap_pages(start, image_bytes());
    return true;
}

void become_child() {
    inherited.parent = record_process;
    inherited.identity_fresh = true;
    record_tickets = 0;
    record_process = new_identity();
}

// In the child of a fork, which another library's handler may have let ask for memory already.
void after_fork() {
    if (!inherited.recorded) return;
    if (!inherited.image_is_wiped) platform::discard_pages(image, image_bytes());
    if (image->phase.load(std::memory_order_relaxed) != Phase::unstarted) return;
    RememberedWalks* const walks = this_thread.walks;
    this_thread = {};
    this_thread.walks = walks;
    become_child();
}

bool open_file(const char* path) {
    const bool is_there = profile.open(path, stream::without_end_reserve(options.maximum_bytes));
    // DynamoRIO takes a child that writes in the program's place for the program's own, and one of its own
    // forks then waits for that for ever.
    const bool keeps = client_present != 0 || inherited.keeps_profile.load(std::memory_order_relaxed);
    if (is_there && keeps) profile.keep_descriptors();
    return is_there;
}

bool open_profile() {
    if (inherited.options_read) return options.profile != nullptr;
    options = read_options();
    const bool is_there = options.profile == nullptr ||
                          (options.windows != 0 ? find_windows(options.profile) : open_file(options.profile));
    if (is_there && has_windows()) guard_stages();
    // The file of windows is gone once nobody opens any more.
    if (!is_there && options.windows != 0 && errno == ENOENT) {
        options.profile = nullptr;
    } else if (!is_there) {
        platform::Line line;
        line.text("malloom: cannot record to ").text(options.profile).text(": ").text(strerrordesc_np(errno));
        line.write_to(STDERR_FILENO);
        options.profile = nullptr;
    }
    inherited.options_read = true;
    return options.profile != nullptr;
}

// Under start_lock. Threads that still are in the recorder of the last window find what they write to where
// it was; a window is closed for longer than any of them takes.
bool enter_window() {
    const uint64_t window = open_window();
    image->window.store(window, std::memory_order_relaxed);
    if (window == 0) return false;
    const Locked locked(image->contexts_lock);
    profile.close_descriptors();
    image->modules_written = 0;
    for (std::atomic<bool>& known : image->module_known) known.store(false, std::memory_order_relaxed);
    return open_file(profile_of_window(window));
}

void become_window() {
    inherited.parent = 0;
    record_tickets = 0;
    record_process = new_identity();
}

void watch_process() {
    if (inherited.recorded) return;
    watch_thread_exits();
    guard_stages();
    pthread_atfork(nullptr, nullptr, after_fork);
}

// Under start_lock, phase is starting.
stream::AppendResult begin() {
    if (has_windows()) {
        become_window();
    } else {
        if (inherited.recorded && !inherited.identity_fresh) become_child();
        if (!inherited.recorded) record_process = new_identity();
    }
    watch_process();
    inherited.recorded = true;
    inherited.identity_fresh = false;
    return append_process_chunk(record_process, inherited.parent);
}

bool start_locked() {
    if (!open_profile()) return false;
    const Phase phase = image->phase.load(std::memory_order_relaxed);
    if (phase != Phase::unstarted && !(phase == Phase::off && has_next_window()))
        return phase == Phase::recording;
    if (has_windows() && !enter_window()) {
        image->phase.store(Phase::off, std::memory_order_release);
        return false;
    }
    image->phase.store(Phase::starting, std::memory_order_relaxed);
    const stream::AppendResult begun = begin();
    if (begun != stream::AppendResult::written) {
        stop_after(begun);
        return false;
    }
    image->phase.store(Phase::recording, std::memory_order_release);
    return true;
}

// `malloom record` says why a recording ended, from the state in the stage. Without a stage the process
// leaves an end chunk; only where the disk has no room even for that must it speak for itself. Both only of
// failures.
void say_why(ProcessState state) {
    if (state != ProcessState::failed && state != ProcessState::limit) return;
    if (append_end_chunk(record_process, state) || state == ProcessState::limit) return;
    platform::Line line;
    line.text("malloom: process ").number(static_cast<uint64_t>(getpid()));
    line.text(
            " is not recorded: the profile cannot be written (is its disk full, or does the program forbid "
            "it?)")
        .write_to(STDERR_FILENO);
}

// DynamoRIO sets its variables again in every program that it follows. This one shall have as many variables
// as it has when it runs with a plan: what copies its environment makes a request for each.
void hide_dynamorio() {
    if (client_present == 0 || environ == nullptr) return;
    char** kept = environ;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (strncmp(*entry, "DYNAMORIO_", strlen("DYNAMORIO_")) != 0) *kept++ = *entry;
    }
    *kept = nullptr;
}

// So that the profile names programs that allocate nothing.
[[gnu::constructor]] void start_early() {
    platform::real::resolve();
    hide_dynamorio();
    if (this_thread.slot != nullptr) return;
    const platform::Undisturbed undisturbed;
    const int error = errno;
    this_thread.starting = true;
    start_image();
    this_thread.starting = false;
    errno = error;
}

[[gnu::destructor]] void end_with_process() {
    if (image == nullptr || image->phase.load(std::memory_order_relaxed) != Phase::recording) return;
    const platform::Undisturbed undisturbed;
    auto* header = image->contexts.header;
    if (header == nullptr) {
        append_end_chunk(record_process, ProcessState::exited);
        return;
    }
    if (header->state == static_cast<uint32_t>(ProcessState::recording))
        header->state = static_cast<uint32_t>(ProcessState::exited);
}

}  // namespace

bool start_image() {
    if (inherited.options_read && options.profile == nullptr) return false;
    if (image == nullptr && !map_image()) return false;
    const Phase phase = image->phase.load(std::memory_order_acquire);
    if (phase == Phase::recording) return true;
    if (phase == Phase::off && !has_next_window()) return false;
    const Locked locked(image->start_lock);
    return start_locked();
}

bool stage_image() {
    const Locked locked(image->start_lock);
    if (image->contexts.header != nullptr && image->staged_for == record_process) return true;
    const Locked contexts_locked(image->contexts_lock);
    const stream::ProcessStage stage = stream::create_process_stage(
        profile, record_process, context_stage_bytes, stage_capacity, image->contexts);
    image->staged_for = record_process;
    // Without the folder the recording is over, and this is a process that was left behind.
    if (stage.contexts.header == nullptr)
        stop_image(errno == ENOENT ? ProcessState::exited : ProcessState::failed);
    image->first_events = stage.events;
    image->contexts = stage.contexts;
    return stage.contexts.header != nullptr;
}

void stop_image(ProcessState state) {
    const platform::Undisturbed undisturbed;
    if (image->phase.exchange(Phase::off, std::memory_order_acq_rel) == Phase::off) return;
    const uint32_t used = image->slots_used.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < used; ++i) image->slots[i].enabled.store(false, std::memory_order_relaxed);
    if (image->contexts.header == nullptr) return say_why(state);
    image->contexts.header->state = static_cast<uint32_t>(state);
}

void stop_for_good() {
    inherited.forbidden.store(true, std::memory_order_relaxed);
    stop_image(ProcessState::stopped);
}

void keep_profile() {
    const platform::Undisturbed undisturbed;
    inherited.keeps_profile.store(true, std::memory_order_relaxed);
    profile.keep_descriptors();
}

void stop_after(stream::AppendResult result) {
    if (result == stream::AppendResult::limit) stop_image(ProcessState::limit);
    if (result == stream::AppendResult::failed) stop_image(ProcessState::failed);
}

bool has_next_window() {
    const uint64_t window = open_window();
    return window != 0 && window != image->window.load(std::memory_order_relaxed) &&
           !inherited.forbidden.load(std::memory_order_relaxed);
}

bool is_window_over() {
    return has_windows() && open_window() != image->window.load(std::memory_order_relaxed);
}

bool is_same_process(uint64_t one, uint64_t other) {
    return stream::pid_of(one ^ other) == 0;
}

void drop_event() {
    if (image == nullptr || image->contexts.header == nullptr) return;
    __atomic_fetch_add(&image->contexts.header->dropped, 1, __ATOMIC_RELAXED);
}

}  // namespace malloom::record
