#define _GNU_SOURCE
#include "runtime/heaps/fallback/fork_gate.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "runtime/platform/system_calls.h"

// Who forks, as its thread pointer, which is the same in the child; and how many threads are inside. Whoever
// enters says so before it looks who forks, and whoever forks before it counts.
static _Atomic(const void*) forking;
// Of its thread, by signal handlers within that fork; its own.
static unsigned further_forks;
static atomic_long inside;
static __attribute__((tls_model("initial-exec"))) _Thread_local int depth;

static const void* self(void) {
    return __builtin_thread_pointer();
}

// How long somebody has waited. By the clock: on a busy machine a moment is many.
struct waiting {
    unsigned rounds;
    struct timespec began;
};

static bool is_over(const struct waiting* waiting) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long seconds = (long)(now.tv_sec - waiting->began.tv_sec);
    return seconds > 1 || (seconds == 1 && now.tv_nsec >= waiting->began.tv_nsec);
}

// A program that has mimalloc linked in by malloom-cc has the gate alone of the run time.
#pragma weak malloom_wait_for_others
static void wait_for_others(unsigned waited) {
    if (malloom_wait_for_others != NULL) {
        malloom_wait_for_others(waited);
    } else {
        sched_yield();
    }
}

// False, at once, when that was a second.
static bool wait_a_moment(struct waiting* waiting) {
    enum { looks_at_the_clock_after = 100 };
    if (waiting->rounds == 0) {
        clock_gettime(CLOCK_MONOTONIC, &waiting->began);
    }
    if (waiting->rounds >= looks_at_the_clock_after && is_over(waiting)) {
        return false;
    }
    wait_for_others(++waiting->rounds);
    return true;
}

static bool another_forks(void) {
    const void* const who = atomic_load(&forking);
    return who != NULL && who != self();
}

static bool others_are_inside(void) {
    return atomic_load(&inside) > (depth != 0 ? 1 : 0);
}

static __attribute__((noinline, cold)) void wait_outside(void) {
    struct waiting waiting = {0};
    for (bool may_wait = true; may_wait && another_forks();) {
        atomic_fetch_sub(&inside, 1);
        while (may_wait && another_forks()) {
            may_wait = wait_a_moment(&waiting);
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

bool malloom_fork_gate_is_inside(void) {
    return depth != 0;
}

static void close_gate(struct waiting* waiting) {
    const void* nobody = NULL;
    if (atomic_load(&forking) == self()) {
        ++further_forks;
        return;
    }
    while (!atomic_compare_exchange_strong(&forking, &nobody, self()) && wait_a_moment(waiting)) {
        nobody = NULL;
    }
}

static void before_fork(void) {
    struct waiting waiting = {0};
    close_gate(&waiting);
    while (others_are_inside() && wait_a_moment(&waiting)) {
    }
}

static void after_fork_in_parent(void) {
    if (atomic_load(&forking) != self()) {
        return;  // it has not waited long enough for who forks
    }
    if (further_forks != 0) {
        --further_forks;
    } else {
        atomic_store(&forking, NULL);
    }
}

static void after_fork_in_child(void) {
    atomic_store(&inside, depth != 0 ? 1 : 0);
    if (atomic_load(&forking) == self()) {
        after_fork_in_parent();
    } else {
        further_forks = 0;
        atomic_store(&forking, NULL);
    }
}

void malloom_fork_gate_open(void) {
    static atomic_bool is_open;
    if (!atomic_exchange(&is_open, true)) {
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    }
}
