// The recording of one process image: from the first event after start, exec or fork to its end.
#pragma once

#include <stdint.h>

#include <atomic>

#include "record/preload/options.h"
#include "record/preload/spin_lock.h"
#include "record/preload/thread_slot.h"
#include "record/stream/profile_file.h"
#include "record/stream/staging.h"

namespace malloom::record {

enum class Phase : uint32_t { unstarted = 0, starting, recording, off };

inline constexpr uint32_t max_threads = 8192;
inline constexpr uint32_t max_modules = 8192;

/// Of the file in which a process stages. Small: the first store to a mapped file zeroes much of it, which
/// short programs would feel.
inline constexpr uint64_t context_stage_bytes = 16 << 10;

/// Everything that a forked child must not inherit. It lies in memory that the kernel hands to a child as
/// zeros, however the child was made, so a child finds itself unstarted, without locks held by threads that
/// it does not have.
struct Image {
    std::atomic<Phase> phase;
    SpinLock start_lock;  ///< of phase, contexts and first_events
    SpinLock contexts_lock;
    SpinLock shared_lock;
    std::atomic<uint32_t> slots_used;
    std::atomic<uint64_t> window;  ///< the last one that was recorded, or tried; 0: none
    uint64_t staged_for;           ///< identity that `contexts` and `first_events` are of
    stream::ContextStage contexts;
    stream::EventStage first_events;  ///< for the first slot
    uint32_t modules_written;
    std::atomic<bool> module_known[max_modules];
    SpinLock flush_locks[8];
    ThreadSlot shared_slot;  ///< for threads that have given their slot back, under shared_lock
    platform::Disturbances shared_disturbances;  ///< of the thread that holds shared_lock
    ThreadSlot slots[max_threads];
};

/// The image, or nullptr before start_image succeeded once in this process or a forebear.
extern Image* image;
extern stream::ProfileFile profile;
extern Options options;

/// Begins to record where that has not happened yet; true when the process records now. Waits where another
/// thread is just doing it. Never allocates through malloc.
bool start_image();

/// Creates the file in which a recording process stages, once. It waits for the first event: creating a file
/// takes longer than all else that a short program does in here. False, and the recording has ended, where
/// that cannot be done.
bool stage_image();

/// Ends the recording of this process for all threads, for the reason that `state` says.
void stop_image(formats::profile::ProcessState state);

/// stop_image at the program's own wish, or before it may do nothing more: no window is recorded after it.
void stop_for_good();

/// Keeps the profile open from now on, for a process that may soon be unable to open it. Never allocates; fit
/// for a child of vfork.
void keep_profile();

/// stop_image for a failed append.
void stop_after(stream::AppendResult result);

/// Whether the recording is over. What is staged then stays where it is, or is lost with its file.
inline bool is_over() {
    return image->phase.load(std::memory_order_acquire) == Phase::off;
}

/// Whether a window is open that this process does not record yet; false where there are no windows.
bool has_next_window();

/// Whether the window that is recorded is over; false where there are no windows.
bool is_window_over();

/// Whether two identities are of one process, in different windows.
bool is_same_process(uint64_t one, uint64_t other);

/// Counts an event that could not be recorded.
void drop_event();

}  // namespace malloom::record
