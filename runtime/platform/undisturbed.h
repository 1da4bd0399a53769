// Work that nothing may cut in two.
#pragma once

#include <stdint.h>

namespace malloom::platform {

/// What may break into the calling thread's work: signal handlers, and its cancellation by another thread.
/// What a lock guards is done without them. So nobody waits for a thread that is gone, that its program holds
/// in a handler, that left a handler by a jump, or that forked there and is now two.
class Disturbances {
  public:
    /// Nothing breaks in from now on but the signals that tell of the thread's own faults (SIGSEGV and the
    /// like): the kernel ends a process that blocks these. Two system calls for a pair of calls; signals come
    /// all the same where these are not made any more (system_calls.h). errno stays.
    void hold_off();
    /// As it was before. What was held off comes now.
    void let_in();

  private:
    uint64_t signals_ = 0;  // the mask before
    int cancellation_ = 0;  // the state before
    bool has_mask_ = false;
};

/// Holds disturbances off for a scope. Scopes may lie within each other.
class Undisturbed {
  public:
    Undisturbed() { disturbances_.hold_off(); }
    ~Undisturbed() { disturbances_.let_in(); }
    Undisturbed(const Undisturbed&) = delete;
    Undisturbed& operator=(const Undisturbed&) = delete;

  private:
    Disturbances disturbances_;
};

}  // namespace malloom::platform
