// A thread of another process that is stopped, looked at and stepped through by the kernel's ptrace. No
// handler and no memory of its process changes; what may show is said in docs/guide/recording.md. The kernel
// tells of a step by SIGTRAP, and where that is blocked or ignored it changes what the process has set: so
// while it is stopped the thread does not block it, and one that ignores it, or that has one waiting, is not
// stepped.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

namespace malloom::stepping {

enum class Stop : uint8_t {
    stepped,    ///< one instruction has run
    elsewhere,  ///< something else happened to the thread: it is to be let go
    gone,       ///< it has ended
};

/// Lets those go on that had not stopped in time when their TracedThread went, and have stopped since. To be
/// called often: such a one stands still until then, or until this process ends.
void let_late_ones_go();

/// Wakes this process ten times a second while it lives, by SIGALRM, so that it waits for nobody for ever.
class Alarms {
  public:
    Alarms();
    ~Alarms();
    Alarms(const Alarms&) = delete;
    Alarms& operator=(const Alarms&) = delete;
};

/// From `attach` on the thread is stopped; the destructor lets it go on. Should this process die before, the
/// kernel gives the thread the SIGTRAP of its last step. A thread that does not stop within a second, as it
/// waits for a disk or for a child of vfork, counts as gone. Used by one thread of this process.
class TracedThread {
  public:
    explicit TracedThread(pid_t thread) : thread_(thread) {}
    TracedThread(const TracedThread&) = delete;
    TracedThread& operator=(const TracedThread&) = delete;
    ~TracedThread();

    /// Stops it. False, with errno, where that is not possible: EPERM where the system does not allow it, 0
    /// where something else had stopped it.
    bool attach();

    /// To be called before the first step. False where it is not to be stepped now.
    bool may_be_stepped();

    /// Its registers while it is stopped.
    bool registers(user_regs_struct& into) const;

    /// Runs one instruction.
    Stop step();

  private:
    bool wait_until_stopped(int& status);
    Stop wait();

    Alarms alarms_;
    pid_t thread_;
    bool is_attached_ = false;
    int signal_ = 0;             ///< that it is to have when it goes on
    uint64_t blocked_ = 0;       ///< signals, as they were
    bool is_unblocked_ = false;  ///< now it blocks another set
};

/// Copies memory of another process; how many bytes of it there were.
size_t read_memory(pid_t process, uintptr_t address, void* into, size_t bytes);

}  // namespace malloom::stepping
