#include "runtime/context/insert_lock.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/platform/system_calls.h"

namespace malloom::context {
namespace {

bool is_gone(int thread) {
    const int saved = errno;
    const bool gone = platform::may_call() && syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
    errno = saved;
    return gone;
}

// The kernel's, or where it is not to be asked one that no thread has there.
int own_number() {
    if (platform::may_call()) {
        return static_cast<int>(syscall(SYS_gettid));
    }
    const auto own = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
    return static_cast<int>(static_cast<uint32_t>(own >> 6) | uint32_t{1} << 31);
}

}  // namespace

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
    const int self = own_number();
    for (unsigned waited = 1;; ++waited) {
        int owner = 0;
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
