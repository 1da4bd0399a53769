#include "record/stream/own_descriptors.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace malloom::stream {

namespace {

constexpr size_t stack_bytes = 64 << 10;
constexpr unsigned freed_numbers = 4;  // a folder, a file in it, and a copy of each while it is moved

struct Task {
    void (*work)(void*);
    void* argument;
};

// No lock of a file is lost by the closing: those belong to the parent's table.
int work_in_child(void* task) {
    syscall(SYS_close_range, 0u, freed_numbers - 1, 0u);
    const Task& given = *static_cast<Task*>(task);
    given.work(given.argument);
    syscall(SYS_exit, 0);
    __builtin_unreachable();
}

}  // namespace

// Without a signal for its end, so that nobody who waits for children of his own hears of this one.
bool with_own_descriptors(void (*work)(void*), void* argument) {
#ifdef __SANITIZE_THREAD__
    // It knows the threads of each process, and no other process that shares their memory.
    static_cast<void>(work), static_cast<void>(argument);
    return false;
#else
    void* const stack =
        mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return false;
    Task task{work, argument};
    const int child = clone(work_in_child, static_cast<char*>(stack) + stack_bytes,
                            CLONE_VM | CLONE_FS | CLONE_VFORK, &task);
    const int error = errno;
    while (child > 0 && syscall(SYS_wait4, child, nullptr, __WCLONE, nullptr) < 0 && errno == EINTR) {
    }
    munmap(stack, stack_bytes);
    errno = error;
    return child > 0;
#endif
}

}  // namespace malloom::stream
