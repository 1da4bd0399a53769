#include "record/stepping/traced_thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <fstream>
#include <string>
#include <vector>

namespace malloom::stepping {

namespace {

// What ptrace takes as an address although it is a number.
void* number(int value) {
    return reinterpret_cast<void*>(static_cast<intptr_t>(value));
}

// Of a thread, bit n - 1 for signal n.
struct SignalSets {
    uint64_t waiting = 0;  ///< for it or for its process
    uint64_t ignored = ~uint64_t{0};
};

SignalSets signal_sets_of(pid_t thread) {
    SignalSets sets;
    std::ifstream status("/proc/" + std::to_string(thread) + "/status");
    for (std::string line; std::getline(status, line);) {
        const auto value = [&] { return strtoull(line.c_str() + line.find(':') + 1, nullptr, 16); };
        if (line.starts_with("SigPnd:") || line.starts_with("ShdPnd:")) {
            sets.waiting |= value();
        } else if (line.starts_with("SigIgn:")) {
            sets.ignored = value();
        }
    }
    return sets;
}

bool is_step(pid_t thread) {
    siginfo_t about{};
    return ptrace(PTRACE_GETSIGINFO, thread, nullptr, &about) == 0 &&
           (about.si_code == TRAP_TRACE || about.si_code == TRAP_BRKPT);
}

// A thread that had not stopped in time, and what it is to block then.
struct Late {
    pid_t thread;
    bool is_unblocked;
    uint64_t blocked;
};
std::vector<Late> late_ones;

// False where the thread is not stopped.
bool detach(pid_t thread, bool is_unblocked, uint64_t blocked, int signal) {
    if (is_unblocked) {
        ptrace(PTRACE_SETSIGMASK, thread, sizeof blocked, &blocked);
    }
    return ptrace(PTRACE_DETACH, thread, nullptr, number(signal)) == 0;
}

// Whether it is over with it: it goes on, or has ended.
bool has_gone(const Late& late) {
    int status = 0;
    const pid_t found = waitpid(late.thread, &status, __WALL | WNOHANG);
    if (found != late.thread || !WIFSTOPPED(status)) {
        return found != 0;
    }
    // An event's signal, and a step's, are no signals of the program's.
    const bool is_own = status >> 16 != 0 || (WSTOPSIG(status) == SIGTRAP && is_step(late.thread));
    return detach(late.thread, late.is_unblocked, late.blocked, is_own ? 0 : WSTOPSIG(status));
}

void set_alarms(long microseconds) {
    const itimerval often = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &often, nullptr);
}

}  // namespace

void let_late_ones_go() {
    std::erase_if(late_ones, has_gone);
}

Alarms::Alarms() {
    constexpr long often = 100'000;
    struct sigaction action{};
    action.sa_handler = [](int) {};  // a wait that it interrupts ends
    sigaction(SIGALRM, &action, nullptr);
    set_alarms(often);
}

Alarms::~Alarms() {
    set_alarms(0);
}

TracedThread::~TracedThread() {
    // One that was killed meanwhile stays until somebody has waited for it.
    while (is_attached_ && !detach(thread_, is_unblocked_, blocked_, signal_)) {
        int status = 0;
        wait_until_stopped(status);
    }
}

bool TracedThread::attach() {
    if (ptrace(PTRACE_SEIZE, thread_, nullptr, nullptr) != 0) {
        return false;
    }
    is_attached_ = true;
    if (ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr) != 0) {
        return false;
    }
    int status = 0;
    const bool has_stopped = wait_until_stopped(status);
    errno = 0;
    if (!has_stopped) {
        return false;
    }
    const bool is_event = status >> 16 != 0;
    signal_ = is_event ? 0 : WSTOPSIG(status);
    return is_event && WSTOPSIG(status) == SIGTRAP;  // not where the whole process is stopped
}

// The thread is stopped, so that all of this stays; but another one may begin to ignore the signal.
bool TracedThread::may_be_stepped() {
    constexpr uint64_t trap = uint64_t{1} << (SIGTRAP - 1);
    const SignalSets sets = signal_sets_of(thread_);
    if (((sets.ignored | sets.waiting) & trap) != 0 ||
        ptrace(PTRACE_GETSIGMASK, thread_, sizeof blocked_, &blocked_) != 0) {
        return false;
    }
    if ((blocked_ & trap) != 0) {
        uint64_t others = blocked_ & ~trap;
        is_unblocked_ = ptrace(PTRACE_SETSIGMASK, thread_, sizeof others, &others) == 0;
        return is_unblocked_;
    }
    return true;
}

// Otherwise it is not attached any more: it has ended, and has been waited for, or is late.
bool TracedThread::wait_until_stopped(int& status) {
    constexpr unsigned most_alarms = 10;
    pid_t found = -1;
    errno = EINTR;
    for (unsigned alarms = 0; found < 0 && errno == EINTR && alarms < most_alarms; ++alarms) {
        found = waitpid(thread_, &status, __WALL);
    }
    if (found < 0 && errno == EINTR) {
        late_ones.push_back({thread_, is_unblocked_, blocked_});
    }
    is_attached_ = found == thread_ && WIFSTOPPED(status);
    return is_attached_;
}

// What is no step is a signal of the program's, which the thread gets when it is let go, or a stop of the
// whole process, which stays.
Stop TracedThread::wait() {
    int status = 0;
    if (!wait_until_stopped(status)) {
        return Stop::gone;
    }
    const bool is_event = status >> 16 != 0;
    if (WSTOPSIG(status) == SIGTRAP && !is_event && is_step(thread_)) {
        return Stop::stepped;
    }
    signal_ = is_event ? 0 : WSTOPSIG(status);
    return Stop::elsewhere;
}

bool TracedThread::registers(user_regs_struct& into) const {
    return ptrace(PTRACE_GETREGS, thread_, nullptr, &into) == 0;
}

Stop TracedThread::step() {
    if (ptrace(PTRACE_SINGLESTEP, thread_, nullptr, nullptr) != 0) {
        return Stop::gone;
    }
    return wait();
}

size_t read_memory(pid_t process, uintptr_t address, void* into, size_t bytes) {
    const iovec here{into, bytes};
    const iovec there{reinterpret_cast<void*>(address), bytes};
    const ssize_t done = process_vm_readv(process, &here, 1, &there, 1, 0);
    return done < 0 ? 0 : static_cast<size_t>(done);
}

}  // namespace malloom::stepping
