// malloom_measure REPORT READY_KIBIBYTES [NAME=VALUE ...] -- PROGRAM ARGUMENTS...: makes so much memory
// ready, runs the program and reports what it used, as one line on the inherited file descriptor REPORT:
// "STATUS USER_MICROSECONDS SYSTEM_MICROSECONDS PEAK_KIBIBYTES WALL_NANOSECONDS MEAN_KIBIBYTES". STATUS is
// wait(2)'s; where the program cannot be started the line is "error ERRNO".
//
// The mean is that of the resident memory over the run's time, by looks at it that come seldom enough not to
// disturb: of the process that is started, not of those that it starts. 0 where it ended before the first
// look.
//
// Ready is memory that was in use a moment ago. A virtual machine may give memory that has been free for a
// while back to its host, in blocks of a huge page's size, and who uses it next waits for the host: so a
// program in huge pages would pay for the time since the run before, and one in small pages would not.
//
// It is a process of its own because Linux counts into a child's peak the memory of the process that it was
// forked from: under a Python process every program would seem to need Python's memory. The variables are set
// for the program alone, so that what they preload does not act here.
//
// What the program has started and not waited for belongs to the run: it becomes this process's, whose it is
// not before (PR_SET_CHILD_SUBREAPER). When the program has ended it has a moment to end by itself, as the
// last command of a pipe does, and then it is ended: it would disturb what is measured next. What it used
// counts. What its own parent did not want to hear of (SIGCHLD ignored) Linux counts for nobody.
//
// As the leader of a process group it ends all that it has started when it is asked to end or its parent
// dies.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_variables = 4096 };
enum { smallest_page = 4096 };
/// Milliseconds between two looks at the program's memory: the first come quickly, for programs that end
/// soon.
enum { first_pause = 1, longest_pause = 16 };
/// Milliseconds that what the program leaves behind has to end by itself, and again when it is asked to; and
/// in which it has ended, unless the kernel holds it.
enum { last_moment = 200, longest_end = 5000 };

extern char** environ;

static long long wall_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long microseconds(struct timeval time) {
    return time.tv_sec * 1000000LL + time.tv_usec;
}

static bool names_one_of(const char* variable, char** others, int count) {
    size_t name_bytes = strcspn(variable, "=") + 1;
    for (int i = 0; i < count; ++i) {
        if (strncmp(variable, others[i], name_bytes) == 0) return true;
    }
    return false;
}

/// The environment with `count` variables added or replaced, these last, as `malloom run` and `malloom
/// record` have it; NULL where memory runs out.
static char** environment_with(char** variables, int count) {
    int inherited = 0;
    while (environ[inherited] != NULL) ++inherited;
    char** all = calloc((size_t)(count + inherited) + 1, sizeof *all);
    if (all == NULL) return NULL;
    int used = 0;
    for (int i = 0; i < inherited; ++i) {
        if (!names_one_of(environ[i], variables, count)) all[used++] = environ[i];
    }
    memcpy(all + used, variables, (size_t)count * sizeof *all);
    return all;
}

/// Sends its children a signal, as far as there is room for their numbers; the children of those that end
/// become its own. Async-signal-safe. False where there are none, or the kernel does not name them.
static bool signal_children(int with) {
    char text[4096];
    int children = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t got = children < 0 ? -1 : read(children, text, sizeof text);
    if (children >= 0) close(children);
    int number = 0;
    bool reached = false;
    for (ssize_t i = 0; i < got; ++i) {
        if (text[i] != ' ') {
            number = 10 * number + (text[i] - '0');
        } else {
            reached |= kill(number, with) == 0;
            number = 0;
        }
    }
    return reached;
}

static void end_all(int number) {
    (void)number;
    for (int i = 0; i < longest_end && signal_children(SIGKILL); ++i) {
        poll(NULL, 0, 1);
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
    }
    kill(0, SIGKILL);
}

/// What the program was started with stays its own: handlers do not outlive an exec.
static void end_with_parent(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getpgrp() != getpid()) return;
    struct sigaction ending = {.sa_handler = end_all};
    sigaction(SIGTERM, &ending, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

static void touch(size_t bytes) {
    char* memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    madvise(memory, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < bytes; i += smallest_page) ((volatile char*)memory)[i] = 1;
}

/// By a process of its own, as what this one had touched would count into the program's peak. Where it cannot
/// be done the run is one without it.
static void make_ready(size_t bytes) {
    pid_t child = bytes == 0 ? -1 : fork();
    if (child == 0) {
        touch(bytes);
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

/// Bytes that are resident, by an open /proc/PID/statm; 0 where the program has ended.
static long long resident_bytes(int statm) {
    char text[128];
    ssize_t got = pread(statm, text, sizeof text - 1, 0);
    if (got <= 0) return 0;
    text[got] = '\0';
    char* resident = strchr(text, ' ');
    return resident == NULL ? 0 : strtoll(resident, NULL, 10) * sysconf(_SC_PAGESIZE);
}

/// The mean of the resident memory up to the program's end, in KiB. Where the kernel cannot say when a
/// process ends, no look is taken.
static long long mean_memory(pid_t program) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/statm", program);
    int statm = open(path, O_RDONLY | O_CLOEXEC);
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, program, 0), .events = POLLIN};
    long long before = wall_nanoseconds(), seen = 0;
    double area = 0;
    int pause = first_pause;
    while (statm >= 0 && end.fd >= 0 && poll(&end, 1, pause) == 0) {
        long long now = wall_nanoseconds(), bytes = resident_bytes(statm);
        if (bytes == 0) break;
        area += (double)bytes * (double)(now - before);
        seen += now - before;
        before = now;
        pause = pause < longest_pause ? 2 * pause : longest_pause;
    }
    if (statm >= 0) close(statm);
    if (end.fd >= 0) close(end.fd);
    return seen == 0 ? 0 : (long long)(area / (double)seen / 1024);
}

struct use {
    long long user;
    long long system;
    long peak;
};

static void add(struct use* sum, const struct rusage* used) {
    sum->user += microseconds(used->ru_utime);
    sum->system += microseconds(used->ru_stime);
    if (used->ru_maxrss > sum->peak) sum->peak = used->ru_maxrss;
}

/// Takes in what the program has left behind, and ends what does not end by itself.
static void take_in_the_rest(struct use* sum) {
    struct rusage used;
    for (int i = 0; i < longest_end; ++i) {
        pid_t child;
        while ((child = wait4(-1, NULL, WNOHANG, &used)) > 0) add(sum, &used);
        if (child < 0 && errno != EINTR) return;
        if (i == last_moment) signal_children(SIGTERM);
        if (i >= 2 * last_moment && !signal_children(SIGKILL)) return;
        poll(NULL, 0, 1);
    }
}

static int report_run(int report, pid_t program, long long began) {
    long long mean = mean_memory(program);
    int status = 0;
    struct rusage used;
    while (wait4(program, &status, 0, &used) < 0) {
        if (errno != EINTR) return 1;
    }
    long long wall = wall_nanoseconds() - began;
    struct use sum = {0};
    add(&sum, &used);
    take_in_the_rest(&sum);
    int written =
        dprintf(report, "%d %lld %lld %ld %lld %lld\n", status, sum.user, sum.system, sum.peak, wall, mean);
    return written > 0 ? 0 : 1;
}

int main(int count, char** arguments) {
    int first = 3;
    while (first < count && strcmp(arguments[first], "--") != 0) ++first;
    if (first + 1 >= count || first - 3 > most_variables) {
        fputs("usage: malloom_measure REPORT READY_KIBIBYTES [NAME=VALUE ...] -- PROGRAM ARGUMENTS...\n",
              stderr);
        return 2;
    }
    int report = atoi(arguments[1]);
    char** environment = environment_with(arguments + 3, first - 3);
    if (environment == NULL) return 1;
    char** program = arguments + first + 1;
    end_with_parent();
    make_ready(strtoull(arguments[2], NULL, 10) * 1024);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, report);
    // A group of its own: what it sends to its group, as 'kill 0' in a script does, is not for this process.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    long long began = wall_nanoseconds();
    pid_t started = 0;
    int error = posix_spawnp(&started, program[0], &actions, &attributes, program, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (error != 0) {
        dprintf(report, "error %d\n", error);
        return 127;
    }
    return report_run(report, started, began);
}
