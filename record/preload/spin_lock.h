// A lock for what is rare and short. Zero is unlocked, so memory that a fork wiped is unlocked too.
#pragma once

#include <sched.h>

#include <atomic>

namespace malloom::record {

class SpinLock {
  public:
    void lock() {
        while (!try_lock()) sched_yield();
    }
    bool try_lock() { return !locked_.exchange(true, std::memory_order_acquire); }
    void unlock() { locked_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> locked_{false};
};

/// Holds a lock for a scope.
class Locked {
  public:
    explicit Locked(SpinLock& lock) : lock_(lock) { lock_.lock(); }
    ~Locked() { lock_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    SpinLock& lock_;
};

}  // namespace malloom::record
