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
    /// False only where this thread holds it already. Keeps errno.
    bool acquire();
    void release();

  private:
    bool take();

    std::atomic<int> owner_{0};            // the kernel's thread id, or a number below 0
    platform::Disturbances disturbances_;  // the owner's
};

}  // namespace malloom::context
