// What a thread needs to record an event: where the next record goes.
#pragma once

#include <stdint.h>

#include <atomic>

#include "record/preload/contexts.h"
#include "record/stream/staging.h"

namespace malloom::record {

/// Serves one thread after the other. All zero: not in use (so it is after a fork, see image.h).
struct alignas(64) ThreadSlot {
    std::atomic<bool> enabled;  ///< cleared by any thread to stop the recording
    bool busy;  ///< its thread is inside the recorder; what a signal handler does then is dropped
    std::atomic<bool> taken;
    uint32_t staged;    ///< records in the stage
    uint32_t capacity;  ///< records that fit
    stream::EventStage stage;
    uint64_t process;  ///< identity that the stage is of
    uint64_t window;   ///< that it is of; 0 where there are none

    /// Whether all that is staged lies in the stage. A few comparisons. By the thread that it serves.
    bool is_valid() const noexcept { return stage.header != nullptr && staged <= capacity; }
};

/// The recorder's thread-local state: small, so that it fits into the static TLS of any program.
struct ThisThread {
    ThreadSlot* slot;
    RememberedWalks* walks;  ///< nullptr where memory is short, and once the slot is gone
    uint64_t process;        ///< identity of the image that the rest is about
    uint32_t next_sequence;  ///< of the thread's events chunks
    bool starting;           ///< is getting a slot
    bool finished;           ///< its slot is gone; only what the thread library still does follows
    bool has_shared_slot;    ///< has the slot that finished threads share
};

// constinit: so that its users need not ask whether it has been initialized.
extern constinit thread_local ThisThread this_thread [[gnu::tls_model("initial-exec")]];

/// The slot for the next event of this thread, or nullptr when it is not to be recorded (then it has been
/// counted as dropped where it should have been). Called when the fast path of enter() found no ready slot.
ThreadSlot* enter_slow_path();

/// Ends what enter_slow_path began for a thread that has no slot any more.
void leave_shared_slot();

/// Turns what the slot has staged into a chunk. Stops the recording when that fails.
void flush_events(ThreadSlot& slot);

/// Creates the key whose destructor gives a thread's slot back. Once, when the process starts to record.
void watch_thread_exits();

}  // namespace malloom::record
