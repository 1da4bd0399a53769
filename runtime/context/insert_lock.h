// A lock around the insertion of something new.
#pragma once

#include <stdint.h>

#include <atomic>

#include "runtime/platform/undisturbed.h"

namespace malloom::context {

/// A spin lock that knows its owner, whom nothing disturbs meanwhile. A thread that holds it and asks again
/// (the handler of a fault of its own) is told no instead of waiting for itself; an owner that is gone (the
/// other threads of the parent, seen from a forked child) is overtaken, so what it guards must be whole after
/// every single store.
class InsertLock {
  public:
    /// Has children of forks know by themselves that their parent's threads are gone, where they may not ask
    /// the kernel; once.
    static void prepare_for_forks();

    /// False only where this thread holds it already. Keeps errno.
    bool acquire();
    void release();

  private:
    bool take();

    std::atomic<uint64_t> owner_{0};       // the kernel's thread id, or a number below 0, and forks above it
    platform::Disturbances disturbances_;  // the owner's
};

}  // namespace malloom::context
