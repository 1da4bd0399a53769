#include "record/preload/thread_slot.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "checks/check.h"
#include "record/preload/contexts.h"
#include "record/preload/exports.h"
#include "record/preload/flush_space.h"
#include "record/preload/image.h"
#include "record/preload/windows.h"
#include "record/stream/chunk_writer.h"
#include "record/stream/event_codec.h"
#include "runtime/platform/memory.h"
#include "runtime/platform/undisturbed.h"

namespace malloom::record {

using namespace formats::profile;

constinit thread_local ThisThread this_thread [[gnu::tls_model("initial-exec")]] = {};

namespace {

pthread_key_t exit_key;
bool has_exit_key = false;

size_t walks_bytes() {
    return platform::round_up(sizeof(RememberedWalks), platform::page_bytes());
}

uint32_t thread_id() {
    return static_cast<uint32_t>(syscall(SYS_gettid));
}

bool take(ThreadSlot& slot) {
    return !slot.taken.exchange(true, std::memory_order_acq_rel);
}

ThreadSlot* find_free_slot() {
    const uint32_t used = image->slots_used.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < used; ++i) {
        if (!image->slots[i].taken.load(std::memory_order_relaxed) && take(image->slots[i]))
            return &image->slots[i];
    }
    for (;;) {
        const uint32_t next = image->slots_used.fetch_add(1, std::memory_order_acq_rel);
        if (next >= max_threads) {
            image->slots_used.store(max_threads, std::memory_order_release);
            return nullptr;
        }
        if (take(image->slots[next])) return &image->slots[next];
    }
}

// What is staged was taken, or will be: who writes now writes too late. The own slot first: that of a thread
// which began just as the window ended is not among those that end with it, and would outgrow its stage.
void end_with_window(ThreadSlot& slot) {
    slot.enabled.store(false, std::memory_order_relaxed);
    stop_image(ProcessState::window_over);
}

// Gives the slot, with a stage of its own, to the calling thread. `number` names a new stage. That of an
// earlier window goes: what is in it was taken, or came too late.
bool assign(ThreadSlot& slot, uint32_t number, uint32_t sequence) {
    if (slot.stage.header == nullptr || slot.process != record_process) {
        slot.stage = number == 0 ? image->first_events
                                 : stream::create_event_stage(profile, record_process, number, stage_capacity,
                                                              slot.stage);
        if (slot.stage.header == nullptr) return false;
        slot.capacity = stage_capacity;
        slot.staged = 0;
        slot.process = record_process;
        slot.window = image->window.load(std::memory_order_relaxed);
    }
    slot.stage.header->thread = thread_id();
    slot.stage.header->sequence = sequence;
    return true;
}

void remember_walks() {
    if (this_thread.walks == nullptr)
        this_thread.walks = static_cast<RememberedWalks*>(platform::map_pages(walks_bytes()));
}

void forget_walks() {
    if (this_thread.walks != nullptr) platform::unmap_pages(this_thread.walks, walks_bytes());
    this_thread.walks = nullptr;
}

void release_slot(ThreadSlot& slot) {
    slot.busy = true;
    // Without a stage where there was no room for that of a new window.
    if (slot.stage.header != nullptr) {
        flush_events(slot);
        this_thread.next_sequence = slot.stage.header->sequence;
    }
    this_thread.slot = nullptr;
    this_thread.finished = true;
    slot.busy = false;
    slot.taken.store(false, std::memory_order_release);
}

// A thread may exit from a handler, or be cancelled at any instruction if it wants to be, and so within the
// fast path. What it began to record is lost, and nothing of what follows.
void drop_interrupted_event(ThreadSlot* slot) {
    if (slot == nullptr || !slot->busy) return;
    if (slot->staged == slot->capacity) flush_events(*slot);
    slot->busy = false;
    drop_event();
}

// Other keys' destructors still release memory: as the key is set again each time, the slot goes in the last
// but one of the rounds that the thread library makes.
void on_thread_exit(void* round) {
    const platform::Undisturbed undisturbed;
    drop_interrupted_event(this_thread.slot);
    const auto number = reinterpret_cast<uintptr_t>(round);
    if (number < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
        pthread_setspecific(exit_key, reinterpret_cast<void*>(number + 1));
        return;
    }
    // Of a recording that is over for good nobody needs the slot any more.
    const ThreadSlot* const slot = this_thread.slot;
    if (slot != nullptr && (slot->enabled.load(std::memory_order_relaxed) || has_windows()))
        release_slot(*this_thread.slot);
    forget_walks();
}

// Under shared_lock. A slot whose events could not be written stays full.
bool prepare_shared_slot(ThreadSlot& slot) {
    const bool is_of_window = slot.process == record_process;
    if (!is_of_window) slot.staged = 0;
    if (is_of_window && slot.stage.header != nullptr && slot.stage.header->thread != thread_id())
        flush_events(slot);
    if (image->phase.load(std::memory_order_relaxed) != Phase::recording) return false;
    if (slot.staged != 0 || assign(slot, max_threads, this_thread.next_sequence++)) return true;
    stop_image(ProcessState::failed);
    return false;
}

// The one slot that all finished threads share, locked until leave().
ThreadSlot* enter_shared_slot() {
    image->shared_lock.lock();
    this_thread.has_shared_slot = prepare_shared_slot(image->shared_slot);
    if (this_thread.has_shared_slot) return &image->shared_slot;
    image->shared_lock.unlock();
    return nullptr;
}

// Not every fork has its handlers called (_Fork, a raw clone). In another window of the same process a thread
// that is about to end still is.
void forget_other_process() {
    if (this_thread.process == record_process) return;
    if (!is_same_process(this_thread.process, record_process)) this_thread.finished = false;
    this_thread.process = record_process;
    this_thread.next_sequence = 0;
}

// That of an earlier window; after a fork without handlers it is nobody's.
ThreadSlot* find_own_slot() {
    ThreadSlot* const slot = this_thread.slot;
    return slot != nullptr && slot->taken.load(std::memory_order_relaxed) ? slot : nullptr;
}

ThreadSlot* new_slot() {
    if (!start_image() || !stage_image()) return nullptr;
    forget_other_process();
    if (this_thread.finished) return enter_shared_slot();
    ThreadSlot* const own = find_own_slot();
    ThreadSlot* const slot = own != nullptr ? own : find_free_slot();
    if (slot == nullptr || !assign(*slot, static_cast<uint32_t>(slot - image->slots), 0)) {
        stop_image(ProcessState::failed);
        return nullptr;
    }
    slot->enabled.store(true, std::memory_order_relaxed);
    this_thread.slot = slot;
    remember_walks();
    if (has_exit_key) pthread_setspecific(exit_key, reinterpret_cast<void*>(uintptr_t{1}));
    return slot;
}

}  // namespace

void watch_thread_exits() {
    has_exit_key = pthread_key_create(&exit_key, on_thread_exit) == 0;
}

void leave_shared_slot() {
    platform::Disturbances disturbances = image->shared_disturbances;
    this_thread.has_shared_slot = false;
    image->shared_lock.unlock();
    disturbances.let_in();
}

ThreadSlot* enter_slow_path() {
    if (image != nullptr && is_window_over() && !is_over()) stop_image(ProcessState::window_over);
    // Without a system call: the program may have forbidden itself these.
    if (image != nullptr && is_over() && !has_next_window()) return nullptr;
    const ThreadSlot* held = this_thread.slot;
    if (this_thread.starting || this_thread.has_shared_slot || (held != nullptr && held->busy)) {
        drop_event();
        return nullptr;
    }
    const int error = errno;
    platform::Disturbances disturbances;
    disturbances.hold_off();
    this_thread.starting = true;
    ThreadSlot* slot = new_slot();
    this_thread.starting = false;
    errno = error;
    if (this_thread.has_shared_slot) {
        image->shared_disturbances = disturbances;
    } else {
        disturbances.let_in();
    }
    return slot;
}

void flush_events(ThreadSlot& slot) {
    MALLOOM_CHECK(slot.is_valid());  // the columns have room for a stage, and no more
    StagingHeader& stage = *slot.stage.header;
    // Of a thread that began while the recording ended too: there would be no room for its next event. What
    // is of an earlier window has been taken.
    if (is_over() || slot.process != record_process)
        return slot.enabled.store(false, std::memory_order_relaxed);
    if (is_window_over()) return end_with_window(slot);
    if (slot.staged == 0) return;
    const platform::Undisturbed undisturbed;
    const int error = errno;
    flush_contexts();
    FlushSpace* space = FlushSpace::acquire();
    if (space == nullptr) return stop_image(ProcessState::failed);
    const EventRecord* events = slot.stage.records();
    const stream::ChunkIdentity identity{ChunkKind::events, stage.process,    stage.thread,
                                         stage.sequence,    events[0].ticket, slot.staged};
    const size_t columns = stream::encode_events(events, slot.staged, events[0].ticket, space->columns);
    const size_t bytes =
        stream::make_chunk(identity, space->columns, columns, &space->compressor, space->chunk);
    // It is over where what was to be written was lost just now.
    const stream::AppendResult result =
        is_over() ? stream::AppendResult::failed : profile.append(space->chunk, bytes);
    FlushSpace::release(space);
    errno = error;
    if (result != stream::AppendResult::written) {
        slot.enabled.store(false, std::memory_order_relaxed);
        return stop_after(result);
    }
    stage.written += slot.staged;
    slot.staged = 0;
    __atomic_store_n(&stage.records, 0, __ATOMIC_RELEASE);
    ++stage.sequence;
}

}  // namespace malloom::record
