// A lock for what is rare and short, that knows which thread has it.
#pragma once

#include <atomic>

#include "runtime/platform/system_calls.h"
#include "runtime/structures/alone.h"

namespace malloom::structures {

/// Zero is unlocked. Threads are told apart by the address of a thread-local variable, which stays the same
/// in the child of a fork.
class ThreadLock {
  public:
    void lock() {
        if (alone()) {
            // Held only where a handler interrupted the holder, who does not wait for itself (is_mine).
            holder_.store(self(), std::memory_order_relaxed);
            return;
        }
        const void* nobody = nullptr;
        for (unsigned waited = 1; !holder_.compare_exchange_weak(nobody, self(), std::memory_order_acquire);
             ++waited) {
            nobody = nullptr;
            platform::wait_for_others(waited);
        }
    }
    bool try_lock() {
        const void* nobody = nullptr;
        return holder_.compare_exchange_strong(nobody, self(), std::memory_order_acquire);
    }
    void unlock() { holder_.store(nullptr, std::memory_order_release); }
    bool is_mine() const { return holder_.load(std::memory_order_relaxed) == self(); }

  private:
    static const void* self() { return __builtin_thread_pointer(); }

    std::atomic<const void*> holder_{nullptr};
};

/// One that forks hold, so that the child finds whole what it guards. Who forks may be a signal handler that
/// interrupted the holder, or another fork of its thread: then it was held already, and stays so.
class ForkLock : public ThreadLock {
  public:
    /// Around a fork, in the thread that forks; the latter in its child too. Pairs lie within each other.
    void hold_for_fork() {
        if (!is_mine()) {
            lock();
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
            forks_ = 1;
        } else if (forks_ != 0) {
            ++forks_;
        }
    }
    void end_fork() {
        if (forks_ == 1) {
            forks_ = 0;
            unlock();
        } else if (forks_ != 0) {
            --forks_;
        }
    }
    /// For the holder: whether it is held because of a fork alone.
    bool is_held_for_fork() const { return forks_ != 0; }

  private:
    unsigned forks_ = 0;  ///< that hold it, each within the one before; the holder's
};

/// Holds a lock for a scope.
class Locked {
  public:
    explicit Locked(ThreadLock& lock) : lock_(lock) { lock_.lock(); }
    ~Locked() { lock_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    ThreadLock& lock_;
};

}  // namespace malloom::structures
