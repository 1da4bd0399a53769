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
