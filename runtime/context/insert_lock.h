// A lock around the insertion of something new.
#pragma once

#include <stdint.h>

#include <atomic>

namespace malloom::context {

/// A spin lock that knows its owner. A thread that holds it and asks again (a signal handler that allocates)
/// is told no instead of waiting for itself; an owner that is gone (the other threads of the parent, seen
/// from a forked child) is overtaken, so what it guards must be whole after every single store.
class InsertLock {
  public:
    /// False only where this thread holds it already. Keeps errno.
    bool acquire();
    void release() { owner_.store(0, std::memory_order_release); }

  private:
    std::atomic<int> owner_{0};  // the kernel's thread id
};

}  // namespace malloom::context
