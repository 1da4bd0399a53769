#include "runtime/context/insert_lock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/platform/system_calls.h"

namespace malloom::context {
namespace {

// Of how many forks the process is the child, as far as the C library was told of them.
std::atomic<uint32_t> forks{0};

uint64_t marked(int number) {
    return uint64_t{forks.load(std::memory_order_relaxed)} << 32 | static_cast<uint32_t>(number);
}

// The kernel's number, or where it is not to be asked one that no thread has there.
uint64_t own_mark() {
    if (platform::may_call()) {
        return marked(static_cast<int>(syscall(SYS_gettid)));
    }
    const auto own = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
    return marked(static_cast<int>(static_cast<uint32_t>(own >> 6) | uint32_t{1} << 31));
}

bool is_gone(uint64_t owner) {
    if (owner >> 32 != forks.load(std::memory_order_relaxed)) {
        return true;
    }
    const int saved = errno;
    const bool gone = platform::may_call() &&
                      syscall(SYS_tgkill, getpid(), static_cast<int>(owner), 0) != 0 && errno == ESRCH;
    errno = saved;
    return gone;
}

}  // namespace

void InsertLock::prepare_for_forks() {
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
}

bool InsertLock::acquire() {
    platform::Disturbances disturbances;
    disturbances.hold_off();
    if (!take()) {
        disturbances.let_in();
        return false;
    }
    disturbances_ = disturbances;
    return true;
}

void InsertLock::release() {
    platform::Disturbances disturbances = disturbances_;
    owner_.store(0, std::memory_order_release);
    disturbances.let_in();
}

bool InsertLock::take() {
    constexpr unsigned rounds_between_looks = 1000;
    const uint64_t self = own_mark();
    for (unsigned waited = 1;; ++waited) {
        uint64_t owner = 0;
        if (owner_.compare_exchange_strong(owner, self, std::memory_order_acquire)) {
            return true;
        }
        if (owner == self) {
            return false;
        }
        if (waited % rounds_between_looks == 0 && is_gone(owner) &&
            owner_.compare_exchange_strong(owner, self, std::memory_order_acquire)) {
            return true;
        }
        platform::wait_for_others(waited);
    }
}

}  // namespace malloom::context
