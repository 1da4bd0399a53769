// malloom_measure REPORT [NAME=VALUE ...] -- PROGRAM ARGUMENTS...: runs the program and reports what it used,
// as one line on the inherited file descriptor REPORT: "STATUS USER_MICROSECONDS SYSTEM_MICROSECONDS
// PEAK_KIBIBYTES WALL_NANOSECONDS". STATUS is wait(2)'s; where the program cannot be started the line is
// "error ERRNO".
//
// It is a process of its own because Linux counts into a child's peak the memory of the process that it was
// forked from: under a Python process every program would seem to need Python's memory. The variables are set
// for the program alone, so that what they preload does not act here.
//
// As the leader of a process group it ends the whole group when its parent dies: a program that went on after
// its measurer was killed would disturb whatever is measured next.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_variables = 4096 };

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

static void end_group(int number) {
    (void)number;
    kill(0, SIGKILL);
}

/// What the program was started with stays its own: handlers do not outlive an exec.
static void end_with_parent(void) {
    if (getpgrp() != getpid()) return;
    struct sigaction ending = {.sa_handler = end_group};
    sigaction(SIGTERM, &ending, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

static int report_run(int report, pid_t program, long long began) {
    int status = 0;
    struct rusage used;
    while (wait4(program, &status, 0, &used) < 0) {
        if (errno != EINTR) return 1;
    }
    long long wall = wall_nanoseconds() - began;
    int written = dprintf(report, "%d %lld %lld %ld %lld\n", status, microseconds(used.ru_utime),
                          microseconds(used.ru_stime), used.ru_maxrss, wall);
    return written > 0 ? 0 : 1;
}

int main(int count, char** arguments) {
    int first = 2;
    while (first < count && strcmp(arguments[first], "--") != 0) ++first;
    if (first + 1 >= count || first - 2 > most_variables) {
        fputs("usage: malloom_measure REPORT [NAME=VALUE ...] -- PROGRAM ARGUMENTS...\n", stderr);
        return 2;
    }
    int report = atoi(arguments[1]);
    char** environment = environment_with(arguments + 2, first - 2);
    if (environment == NULL) return 1;
    char** program = arguments + first + 1;
    end_with_parent();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, report);
    long long began = wall_nanoseconds();
    pid_t started = 0;
    int error = posix_spawnp(&started, program[0], &actions, NULL, program, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (error != 0) {
        dprintf(report, "error %d\n", error);
        return 127;
    }
    return report_run(report, started, began);
}
