// A lock for what is rare and short. Zero is unlocked, so memory that a fork wiped is unlocked too.
#pragma once

#include <atomic>

#include "runtime/platform/system_calls.h"
#include "runtime/platform/undisturbed.h"

namespace malloom::record {

/// To be held undisturbed only.
class SpinLock {
  public:
    void lock() {
        for (unsigned waited = 1; !try_lock(); ++waited) platform::wait_for_others(waited);
    }
    bool try_lock() { return !locked_.exchange(true, std::memory_order_acquire); }
    void unlock() { locked_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> locked_{false};
};

/// Holds a lock for a scope, and disturbances off.
class Locked {
  public:
    explicit Locked(SpinLock& lock) : lock_(lock) { lock_.lock(); }
    ~Locked() { lock_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    platform::Undisturbed undisturbed_;
    SpinLock& lock_;
};

}  // namespace malloom::record
