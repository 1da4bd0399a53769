#include "record/stepping/traced_thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <fstream>
#include <string>

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

}  // namespace

TracedThread::~TracedThread() {
    if (is_attached_) {
        if (is_unblocked_) {
            ptrace(PTRACE_SETSIGMASK, thread_, sizeof blocked_, &blocked_);
        }
        // One that was killed meanwhile stays until somebody has waited for it.
        int status = 0;
        while (ptrace(PTRACE_DETACH, thread_, nullptr, number(signal_)) != 0 && wait_for(status) &&
               WIFSTOPPED(status)) {
        }
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
    is_attached_ = wait_for(status) && WIFSTOPPED(status);
    errno = 0;
    if (!is_attached_) {
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

// False where it has ended, and been waited for.
bool TracedThread::wait_for(int& status) {
    while (waitpid(thread_, &status, __WALL) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

// What is no step is a signal of the program's, which the thread gets when it is let go, or a stop of the
// whole process, which stays.
Stop TracedThread::wait() {
    int status = 0;
    if (!wait_for(status) || !WIFSTOPPED(status)) {
        is_attached_ = false;
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
