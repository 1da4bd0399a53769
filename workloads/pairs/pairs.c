// pairs PATTERN BYTES PAIRS THREADS: what a malloc and a free cost together. PAIRS objects of BYTES are made
// and released, shared evenly among THREADS threads, so that the CPU time of one thread and of several
// compares directly. PATTERN says when an object goes:
//     now     at once
//     lifo    in batches of 1000, the latest first
//     fifo    when 1000 younger ones have been made
//     random  100,000 live in each thread; each new one takes the place of one of them, chosen at random
//     mixed   as random, of 1000, and their sizes are chosen at random up to BYTES, smaller ones more often
// The phase pair_time is the threads' work alone, without the start; the objects that live through it are
// made before. pool_pairs is the same over the pool heap itself, called as a compiler would call it.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"
#include "workloads/phases.h"
#include "workloads/pool_pairs/pool.h"
#include "workloads/random.h"

#ifdef PAIRS_OF_POOL
static int begin_with(size_t bytes) {
    return pool_open(bytes);
}
static void* allocate(size_t bytes) {
    return (void)bytes, pool_allocate();
}
static void release(void* object) {
    pool_release(object);
}
#else
static int begin_with(size_t bytes) {
    return (void)bytes, 1;
}
static void* allocate(size_t bytes) {
    return malloc(bytes);
}
static void release(void* object) {
    free(object);
}
#endif

enum { batch = 1000, living = 100000, sizes = 8, most_threads = 64 };

struct work {
    size_t bytes;
    unsigned long pairs;
    uint64_t seed;
    double seconds;  ///< that the work took
    pthread_t thread;
    pthread_barrier_t* ready;  ///< passed when all is prepared, and when all work is done
    char** objects;            ///< `living` places
};

/// Stores to the object, so that no compiler leaves the pair out.
static char* make(size_t bytes) {
    char* made = or_exit(allocate(bytes));
    *(volatile char*)made = 1;
    return made;
}

static void run_now(struct work* work) {
    for (unsigned long i = 0; i < work->pairs; ++i) release(make(work->bytes));
}

static void run_lifo(struct work* work) {
    for (unsigned long i = 0; i < work->pairs; i += batch) {
        for (int j = 0; j < batch; ++j) work->objects[j] = make(work->bytes);
        for (int j = batch; j-- > 0;) release(work->objects[j]);
    }
}

static void run_fifo(struct work* work) {
    unsigned at = 0;
    for (unsigned long i = 0; i < work->pairs; ++i) {
        release(work->objects[at]);
        work->objects[at] = make(work->bytes);
        at = at + 1 == batch ? 0 : at + 1;
    }
}

static void run_random(struct work* work) {
    uint64_t state = random_begin(work->seed);
    for (unsigned long i = 0; i < work->pairs; ++i) {
        uint64_t at = random_below(&state, living);
        release(work->objects[at]);
        work->objects[at] = make(work->bytes);
    }
}

/// Half of them up to an eighth of `most`, half of the rest up to two eighths, and so on.
static size_t mixed_bytes(uint64_t* state, size_t most) {
    unsigned eighths = 1 + (unsigned)__builtin_ctzll(random_bits(state) | 1u << (sizes - 1));
    return 1 + random_below(state, eighths * (most / sizes) + 1);
}

static void run_mixed(struct work* work) {
    uint64_t state = random_begin(work->seed);
    for (unsigned long i = 0; i < work->pairs; ++i) {
        uint64_t at = random_below(&state, batch);
        release(work->objects[at]);
        work->objects[at] = make(mixed_bytes(&state, work->bytes));
    }
}

static const struct pattern {
    const char* name;
    void (*run)(struct work*);
    unsigned begun_with;  ///< objects that live when the work begins
} patterns[] = {{"now", run_now, 0},
                {"lifo", run_lifo, 0},
                {"fifo", run_fifo, batch},
                {"random", run_random, living},
                {"mixed", run_mixed, batch}};

static const struct pattern* chosen;

static void* run_thread(void* argument) {
    struct work* work = argument;
    work->objects = or_exit(calloc(living, sizeof *work->objects));
    for (unsigned i = 0; i < chosen->begun_with; ++i) work->objects[i] = make(work->bytes);
    pthread_barrier_wait(work->ready);
    // Of the thread: while others run, the kernel does not know the process's time to the tick.
    double began = thread_phase_begin();
    chosen->run(work);
    work->seconds = thread_phase_begin() - began;
    pthread_barrier_wait(work->ready);
    for (unsigned i = 0; i < chosen->begun_with; ++i) release(work->objects[i]);
    free(work->objects);
    return NULL;
}

static void run(struct work* works, unsigned threads) {
    pthread_barrier_t ready;
    pthread_barrier_init(&ready, NULL, threads);
    for (unsigned i = 0; i < threads; ++i) {
        works[i].ready = &ready;
        works[i].seed = i + 1;
        if (pthread_create(&works[i].thread, NULL, run_thread, &works[i]) != 0) {
            fputs("pairs: no more threads\n", stderr);
            exit(1);
        }
    }
    double seconds = 0;
    for (unsigned i = 0; i < threads; ++i) {
        pthread_join(works[i].thread, NULL);
        seconds += works[i].seconds;
    }
    phase_report("pair_time", seconds);
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
        fputs("usage: pairs now|lifo|fifo|random|mixed BYTES PAIRS THREADS [--times]\n", stderr);
        return 2;
    }
    static struct work works[most_threads];
    for (int i = 0; i < threads; ++i) {
        works[i].bytes = (size_t)bytes;
        works[i].pairs = (unsigned long)(pairs / threads);
    }
    if (!begin_with((size_t)bytes)) {
        fputs("pairs: no pool for so many bytes\n", stderr);
        return 1;
    }
    run(works, (unsigned)threads);
    printf("%ld pairs of %ld bytes\n", pairs, bytes);
    return 0;
}
