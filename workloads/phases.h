// Named phases: the CPU time of one part of a workload, for `malloom bench`. A phase is reported on stderr,
// as "measure NAME SECONDS", and only where --times or MALLOOM_PHASES asks for it, so that a plain run stays
// undisturbed. Without an operating system none is. Nothing here allocates. Not thread-safe: the workloads
// have one thread.
#ifndef WORKLOADS_PHASES_H
#define WORKLOADS_PHASES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool phases_wanted;

/// Looks for --times as the last argument, and takes it off; call first in main. Returns the new argument
/// count.
static inline int phases_from_arguments(int count, char** arguments) {
#if defined(__unix__)
    phases_wanted = getenv("MALLOOM_PHASES") != NULL;
#endif
    if (count > 1 && strcmp(arguments[count - 1], "--times") == 0) {
        phases_wanted = true;
        --count;
    }
    return count;
}

#if defined(__unix__)
static inline double phase_seconds(clockid_t clock) {
    struct timespec now;
    if (!phases_wanted || clock_gettime(clock, &now) != 0) return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// CPU time of the process in seconds; 0 where no phase is wanted.
static inline double phase_begin(void) {
    return phase_seconds(CLOCK_PROCESS_CPUTIME_ID);
}
/// The same of this thread.
static inline double thread_phase_begin(void) {
    return phase_seconds(CLOCK_THREAD_CPUTIME_ID);
}
#else
static inline double phase_begin(void) {
    return 0;
}
#endif

static inline void phase_report(const char* name, double seconds) {
    if (phases_wanted) fprintf(stderr, "measure %s %.9f\n", name, seconds);
}
/// Reports the CPU time since `began`, which came from phase_begin.
static inline void phase_end(const char* name, double began) {
    phase_report(name, phase_begin() - began);
}

#endif
