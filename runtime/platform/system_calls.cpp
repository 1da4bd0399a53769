#include "runtime/platform/system_calls.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace malloom::platform {

namespace {

bool is_memory_alone = false;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool is_nothing = false;

// The C library's malloc waits by futexes, so these may be called.
void sleep_a_moment(long nanoseconds) {
    const timespec moment = {0, nanoseconds};
    static unsigned nobody_wakes = 0;
    syscall(SYS_futex, &nobody_wakes, FUTEX_WAIT_PRIVATE, 0, &moment, nullptr, 0);
}

}  // namespace

void call_for_memory_alone() {
    __atomic_store_n(&is_memory_alone, true, __ATOMIC_RELAXED);
}

void call_nothing() {
    is_nothing = true;
}

void call_again() {
    is_nothing = false;
}

bool may_call() {
    return !__atomic_load_n(&is_memory_alone, __ATOMIC_RELAXED) && !is_nothing;
}

bool may_call_for_memory() {
    return !is_nothing;
}

}  // namespace malloom::platform

void malloom_wait_for_others(unsigned waited) {
    using namespace malloom::platform;
    constexpr unsigned rounds = 64;
    constexpr long moment_ns = 50'000;
    const int saved = errno;
    if (waited % rounds == 0 && may_call_for_memory()) {
        sleep_a_moment(moment_ns);
    } else if (may_call()) {
        sched_yield();
    }
    errno = saved;
}
