#include "runtime/platform/system_calls.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace malloom::platform {

namespace {

bool is_memory_alone = false;
constinit thread_local bool is_nothing = false;

}  // namespace

void call_for_memory_alone() {
    __atomic_store_n(&is_memory_alone, true, __ATOMIC_RELAXED);
}

void call_nothing() {
    is_nothing = true;
}

bool may_call() {
    return !__atomic_load_n(&is_memory_alone, __ATOMIC_RELAXED) && !is_nothing;
}

bool may_call_for_memory() {
    return !is_nothing;
}

}  // namespace malloom::platform

void malloom_wait_for_others(unsigned waited) {
    constexpr unsigned rounds = 64;
    constexpr long moment_ns = 50'000;
    if (!malloom::platform::may_call()) {
        return;
    }
    if (waited % rounds != 0) {
        sched_yield();
        return;
    }
    const timespec moment = {0, moment_ns};
    const int saved = errno;
    syscall(SYS_nanosleep, &moment, nullptr);
    errno = saved;
}
