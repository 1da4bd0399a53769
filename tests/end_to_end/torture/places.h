// Where a step of a tortured program runs: threads, coroutines, handlers, processes, under limits.
#pragma once

#include "steps.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>

// ---- threads

struct work {
    step what;
    unsigned long seed;
    digest found;
    pthread_key_t key;
};

static void do_work(void* given) {
    struct work* work = (struct work*)given;
    work->found = work->what(work->seed);
}

static void* worker(void* given) {
    do_work(given);
    return NULL;
}

// Every second thread does the other step.
static inline digest threads_of(unsigned long seed, step one, step other, size_t count) {
    struct work* work = (struct work*)calloc(count, sizeof *work);
    pthread_t* threads = (pthread_t*)calloc(count, sizeof *threads);
    digest sum = 0;
    for (size_t i = 0; i < count; ++i) {
        work[i] = (struct work){.what = i % 2 ? other : one, .seed = seed + i};
        require(pthread_create(&threads[i], NULL, worker, &work[i]) == 0);
    }
    for (size_t i = 0; i < count; ++i) {
        require(pthread_join(threads[i], NULL) == 0);
        sum += work[i].found * (i + 1);
    }
    free(threads);
    free(work);
    return sum;
}

static void* leave(void* given) {
    require(pthread_setspecific(((struct work*)given)->key, given) == 0);
    return NULL;
}

// After the thread's own function, when its variables go.
static inline digest as_thread_ends(unsigned long seed, step what) {
    struct work work = {.what = what, .seed = seed};
    pthread_t thread;
    require(pthread_key_create(&work.key, do_work) == 0);
    require(pthread_create(&thread, NULL, leave, &work) == 0 && pthread_join(thread, NULL) == 0);
    pthread_key_delete(work.key);
    return work.found;
}

static void* wait_to_be_cancelled(void* given) {
    pthread_cleanup_push(do_work, given);
    for (;;) pause();
    pthread_cleanup_pop(0);
    return NULL;
}

static inline digest as_cancelled(unsigned long seed, step what) {
    struct work work = {.what = what, .seed = seed};
    pthread_t thread;
    require(pthread_create(&thread, NULL, wait_to_be_cancelled, &work) == 0);
    require(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
    return work.found;
}

// ---- coroutines

enum { stack_bytes = 128 << 10, coroutines_count = 4 };

struct coroutines {
    ucontext_t scheduler, each[coroutines_count];
    struct work work[coroutines_count];
    int current, left;
};

static __thread struct coroutines* coroutines;

static void give_way(void) {
    struct coroutines* here = coroutines;
    if (here != NULL) swapcontext(&here->each[here->current], &here->scheduler);
}

static void run_coroutine(void) {
    struct coroutines* here = coroutines;
    do_work(&here->work[here->current]);
    here->work[here->current].what = NULL;
    --here->left;
}

static void* new_stack(int number) {
    if (number % 2) return malloc(stack_bytes);
    return mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void begin_coroutine(struct coroutines* here, int i, struct work work) {
    here->work[i] = work;
    getcontext(&here->each[i]);
    here->each[i].uc_stack.ss_sp = new_stack(i);
    here->each[i].uc_stack.ss_size = stack_bytes;
    here->each[i].uc_link = &here->scheduler;
    makecontext(&here->each[i], run_coroutine, 0);
}

static void end_coroutine(struct coroutines* here, int i) {
    if (i % 2)
        free(here->each[i].uc_stack.ss_sp);
    else
        munmap(here->each[i].uc_stack.ss_sp, stack_bytes);
}

static inline digest in_coroutines(unsigned long seed, step what) {
    struct coroutines* outer = coroutines;
    struct coroutines* here = (struct coroutines*)calloc(1, sizeof *here);
    digest sum = 0;
    coroutines = here;
    here->left = coroutines_count;
    for (int i = 0; i < coroutines_count; ++i) {
        begin_coroutine(here, i, (struct work){.what = what, .seed = seed + (unsigned long)i});
    }
    for (int i = 0; here->left > 0; i = (i + 1) % coroutines_count) {
        here->current = i;
        if (here->work[i].what != NULL) swapcontext(&here->scheduler, &here->each[i]);
    }
    for (int i = 0; i < coroutines_count; ++i) end_coroutine(here, i), sum = sum * 3 + here->work[i].found;
    free(here);
    coroutines = outer;
    return sum;
}

// ---- signals

static __thread struct work in_handler_work;
static __thread sigjmp_buf back;
static volatile sig_atomic_t interruptions;

static void handle_work(int number) {
    (void)number;
    do_work(&in_handler_work);
}

static void handle_fault(int number) {
    siglongjmp(back, number);
}

static void handle_alarm(int number) {
    interruptions += number;
}

static inline void set_handlers(void) {
    const struct sigaction works = {.sa_handler = handle_work, .sa_flags = SA_RESTART},
                           alarms = {.sa_handler = handle_alarm, .sa_flags = SA_RESTART},
                           faults = {.sa_handler = handle_fault};
    require(sigaction(SIGUSR1, &works, NULL) == 0 && sigaction(SIGALRM, &alarms, NULL) == 0);
    require(sigaction(SIGSEGV, &faults, NULL) == 0);
}

// A handler that asks for memory, but interrupts nobody who does.
static inline digest in_handler(unsigned long seed, step what) {
    struct coroutines* outer = coroutines;
    coroutines = NULL;
    in_handler_work = (struct work){.what = what, .seed = seed};
    raise(SIGUSR1);
    coroutines = outer;
    return in_handler_work.found;
}

// A handler that interrupts all, but asks for nothing.
static inline digest under_alarms(unsigned long seed, step what) {
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    const digest found = what(seed);
    setitimer(ITIMER_REAL, &never, NULL);
    return found;
}

static void* volatile nowhere;

static inline digest after_faults(unsigned long seed, step what) {
    digest sum = 0;
    for (volatile int i = 0; i < 3; ++i) {
        struct node* volatile kept = node_of(48, NULL);
        if (sigsetjmp(back, 1) == 0) *(volatile int*)nowhere = 1;
        release(kept);
        sum += what(seed + (unsigned long)i);
    }
    return sum;
}

// ---- processes

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) != child) require(errno == EINTR);
    return status;
}

// Whether the child did what it was to do: neither was it ended, nor did a check of it fail.
static digest found_by(pid_t child) {
    const int status = wait_for(child);
    require(WIFEXITED(status) && WEXITSTATUS(status) < 97);
    return (digest)WEXITSTATUS(status);
}

static inline digest in_child(unsigned long seed, step what) {
    const pid_t child = fork();
    require(child >= 0);
    if (child == 0) {
        const int found = (int)(what(seed) % 97);
        if (seed % 2) _exit(found);
        exit(found);
    }
    return found_by(child);
}

static int run_work(void* given) {
    do_work(given);
    return 5;
}

// With the memory of this one, which waits.
static inline digest in_clone(unsigned long seed, step what) {
    struct work work = {.what = what, .seed = seed};
    char* stack = (char*)malloc(stack_bytes);
    const pid_t child = clone(run_work, stack + stack_bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &work);
    require(child > 0 && wait_for(child) == 5 << 8);
    free(stack);
    return work.found;
}

static const char* program;

// This program anew, for one step of it.
static inline digest executed(unsigned long seed, const char* number) {
    char text[32];
    snprintf(text, sizeof text, "%lu", seed);
    char* const words[] = {(char*)program, (char*)number, text, NULL};
    pid_t child = 0;
    if (seed % 3 == 0) {
        require(posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) == 0);
    } else {
        child = seed % 3 == 1 ? fork() : vfork();
        if (child == 0) {
            execv("/proc/self/exe", words);
            _exit(98);
        }
    }
    return found_by(child);
}

static inline digest in_bare_child(unsigned long seed, step what) {
    const pid_t child = fork();
    if (child == 0) {
        if (seed % 2)
            clearenv();
        else
            require(close_range(0, ~0U, 0) == 0);
        exit((int)(what(seed) % 97));
    }
    return found_by(child);
}

// As nobody, where the program is root's.
static inline digest as_nobody(unsigned long seed, step what) {
    const pid_t child = fork();
    if (child == 0) {
        if (setresgid(65534, 65534, 65534) == 0) require(setresuid(65534, 65534, 65534) == 0);
        exit((int)(what(seed) % 97));
    }
    return found_by(child);
}

static inline void limit(int of, rlim_t most) {
    const struct rlimit both = {most, most};
    require(setrlimit((__rlimit_resource_t)of, &both) == 0);
}

// What fits still fits, and what does not is refused. Of address space docs/decisions/fallback.md tells.
static inline digest in_limited_child(unsigned long seed, step what) {
    const pid_t child = fork();
    if (child == 0) {
        const int kinds[] = {RLIMIT_DATA, RLIMIT_NOFILE, RLIMIT_STACK, RLIMIT_CORE};
        const int kind = kinds[seed % 4];
        limit(kind, kind == RLIMIT_NOFILE ? 5 : (rlim_t)8 << 30);
        if (kind == RLIMIT_DATA) require(malloc((size_t)16 << 30) == NULL && errno == ENOMEM);
        free(memset(malloc(100 << 20), 1, 100 << 20));
        exit((int)(what(seed) % 97));
    }
    return found_by(child);
}

// ---- libraries

static inline digest in_library(unsigned long seed, int count) {
    digest sum = 0;
    struct node* left = NULL;
    for (int i = 0; i < count; ++i) {
        void* opened = dlopen(LIBRARY, RTLD_NOW);
        require(opened != NULL);
        struct node* (*make)(int, struct node*) =
            (struct node * (*)(int, struct node*)) dlsym(opened, "make");
        struct node* list = NULL;
        for (int k = 0; k < 100; ++k) list = make((int)(next_of(&seed) % 4), list);
        left = make(1, left);
        sum = sum * 31 + release_of(list);
        require(dlclose(opened) == 0);
    }
    return sum + release_of(left);
}
