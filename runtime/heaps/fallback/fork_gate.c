#define _GNU_SOURCE
#include "runtime/heaps/fallback/fork_gate.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

// Who forks, as its thread pointer, which is the same in the child; and how many threads are inside. Whoever
// enters says so before it looks who forks, and whoever forks before it counts.
static _Atomic(const void*) forking;
static atomic_long inside;
static __attribute__((tls_model("initial-exec"))) _Thread_local int depth;

static const void* self(void) {
    return __builtin_thread_pointer();
}

static void wait_a_moment(int round) {
    static const struct timespec moment = {0, 100000};
    const int error = errno;
    if (round < 100) {
        sched_yield();
    } else {
        nanosleep(&moment, NULL);
    }
    errno = error;
}

// Tenths of milliseconds, about.
static const int most_rounds = 10000;

static bool another_forks(void) {
    const void* const who = atomic_load(&forking);
    return who != NULL && who != self();
}

static bool others_are_inside(void) {
    return atomic_load(&inside) > (depth != 0 ? 1 : 0);
}

static __attribute__((noinline, cold)) void wait_outside(void) {
    for (int round = 0; another_forks() && round < most_rounds;) {
        atomic_fetch_sub(&inside, 1);
        for (; another_forks() && round < most_rounds; ++round) {
            wait_a_moment(round);
        }
        atomic_fetch_add(&inside, 1);
    }
}

void malloom_fork_gate_enter(void) {
    if (depth == 0) {
        atomic_fetch_add(&inside, 1);
        if (another_forks()) {
            wait_outside();
        }
    }
    ++depth;
}

void malloom_fork_gate_leave(void) {
    if (--depth == 0) {
        atomic_fetch_sub(&inside, 1);
    }
}

static void before_fork(void) {
    const void* nobody = NULL;
    for (int round = 0; !atomic_compare_exchange_strong(&forking, &nobody, self()) && round < most_rounds;
         ++round) {
        nobody = NULL;
        wait_a_moment(round);
    }
    for (int round = 0; others_are_inside() && round < most_rounds; ++round) {
        wait_a_moment(round);
    }
}

static void after_fork_in_parent(void) {
    const void* me = self();
    atomic_compare_exchange_strong(&forking, &me, NULL);
}

static void after_fork_in_child(void) {
    atomic_store(&inside, depth != 0 ? 1 : 0);
    atomic_store(&forking, NULL);
}

void malloom_fork_gate_open(void) {
    static atomic_bool is_open;
    if (!atomic_exchange(&is_open, true)) {
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    }
}
