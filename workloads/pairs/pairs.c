// pairs PATTERN BYTES PAIRS THREADS: what a malloc and a free cost together. PAIRS objects of BYTES are made
// and released, shared evenly among THREADS threads, so that the CPU time of one thread and of several
// compares directly. PATTERN says when an object goes:
//     now     at once
//     lifo    in batches of 1000, the latest first
//     fifo    when 1000 younger ones have been made
//     random  100,000 live in each thread; each new one takes the place of one of them, chosen at random
// The phase pair_time is the work alone, without the start; the objects that live through it are made before.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"
#include "workloads/phases.h"
#include "workloads/random.h"

enum { batch = 1000, living = 100000, most_threads = 64 };

struct work {
    size_t bytes;
    unsigned long pairs;
    uint64_t seed;
    pthread_t thread;
    pthread_barrier_t* ready;  ///< passed when all is prepared, when the work begins, and when it is done
    char** objects;            ///< `living` places
};

/// Stores to the object, so that no compiler leaves the pair out.
static char* make(size_t bytes) {
    char* made = or_exit(malloc(bytes));
    *(volatile char*)made = 1;
    return made;
}

static void run_now(struct work* work) {
    for (unsigned long i = 0; i < work->pairs; ++i) free(make(work->bytes));
}

static void run_lifo(struct work* work) {
    for (unsigned long i = 0; i < work->pairs; i += batch) {
        for (int j = 0; j < batch; ++j) work->objects[j] = make(work->bytes);
        for (int j = batch; j-- > 0;) free(work->objects[j]);
    }
}

static void run_fifo(struct work* work) {
    unsigned at = 0;
    for (unsigned long i = 0; i < work->pairs; ++i) {
        free(work->objects[at]);
        work->objects[at] = make(work->bytes);
        at = at + 1 == batch ? 0 : at + 1;
    }
}

static void run_random(struct work* work) {
    uint64_t state = random_begin(work->seed);
    for (unsigned long i = 0; i < work->pairs; ++i) {
        uint64_t at = random_below(&state, living);
        free(work->objects[at]);
        work->objects[at] = make(work->bytes);
    }
}

static const struct pattern {
    const char* name;
    void (*run)(struct work*);
    unsigned begin_with;  ///< objects that live when the work begins
} patterns[] = {
    {"now", run_now, 0}, {"lifo", run_lifo, 0}, {"fifo", run_fifo, batch}, {"random", run_random, living}};

static const struct pattern* chosen;

static void* run_thread(void* argument) {
    struct work* work = argument;
    work->objects = or_exit(calloc(living, sizeof *work->objects));
    for (unsigned i = 0; i < chosen->begin_with; ++i) work->objects[i] = make(work->bytes);
    pthread_barrier_wait(work->ready);
    pthread_barrier_wait(work->ready);
    chosen->run(work);
    pthread_barrier_wait(work->ready);
    for (unsigned i = 0; i < chosen->begin_with; ++i) free(work->objects[i]);
    free(work->objects);
    return NULL;
}

static void run(struct work* works, unsigned threads) {
    pthread_barrier_t ready;
    pthread_barrier_init(&ready, NULL, threads + 1);
    for (unsigned i = 0; i < threads; ++i) {
        works[i].ready = &ready;
        works[i].seed = i + 1;
        if (pthread_create(&works[i].thread, NULL, run_thread, &works[i]) != 0) {
            fputs("pairs: no more threads\n", stderr);
            exit(1);
        }
    }
    pthread_barrier_wait(&ready);
    // Before the threads are let go: they may have done half of the work before this one runs again.
    double began = phase_begin();
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&ready);
    phase_end("pair_time", began);
    for (unsigned i = 0; i < threads; ++i) pthread_join(works[i].thread, NULL);
    pthread_barrier_destroy(&ready);
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    for (size_t i = 0; count == 5 && i < sizeof patterns / sizeof *patterns; ++i) {
        if (strcmp(arguments[1], patterns[i].name) == 0) chosen = &patterns[i];
    }
    long bytes = count == 5 ? atol(arguments[2]) : 0;
    long pairs = count == 5 ? atol(arguments[3]) : 0;
    int threads = count == 5 ? atoi(arguments[4]) : 0;
    if (chosen == NULL || bytes < 1 || pairs < 1 || threads < 1 || threads > most_threads) {
        fputs("usage: pairs now|lifo|fifo|random BYTES PAIRS THREADS [--times]\n", stderr);
        return 2;
    }
    static struct work works[most_threads];
    for (int i = 0; i < threads; ++i) {
        works[i].bytes = (size_t)bytes;
        works[i].pairs = (unsigned long)(pairs / threads);
    }
    run(works, (unsigned)threads);
    printf("%ld pairs of %ld bytes\n", pairs, bytes);
    return 0;
}
