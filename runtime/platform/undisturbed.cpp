#include "runtime/platform/undisturbed.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/platform/system_calls.h"

namespace malloom::platform {

namespace {

constexpr uint64_t bit_of(int number) {
    return uint64_t{1} << (number - 1);
}
constexpr uint64_t own_faults =
    bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) | bit_of(SIGILL) | bit_of(SIGTRAP) | bit_of(SIGSYS);
constexpr uint64_t all_others = ~own_faults;

// The kernel's call: the C library's leaves out the signals by which it cancels threads and changes their
// user.
bool set_mask(const uint64_t& mask, uint64_t* before) {
    const int saved = errno;
    const bool done = syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, before, sizeof mask) == 0;
    errno = saved;
    return done;
}

}  // namespace

void Disturbances::hold_off() {
    // Where the threads' library is not loaded, old C libraries leave the state alone.
    cancellation_ = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation_);
    has_mask_ = may_call() && set_mask(all_others, &signals_);
}

// A handler that runs now is not to find its thread cancelled in here, so that comes last.
void Disturbances::let_in() {
    if (has_mask_) {
        set_mask(signals_, nullptr);
    }
    pthread_setcancelstate(cancellation_, nullptr);
}

}  // namespace malloom::platform
