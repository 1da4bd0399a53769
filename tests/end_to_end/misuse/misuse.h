// What the programs that misuse the heap share. Each is a table of cases:
//     PROGRAM list           a line for each case: its name, and what serves the object that it misuses where
//                            call sites have pools: pool, fallback, library (the C library asked for it),
//                            none
//     PROGRAM NAME           misuses the heap in that way
//     PROGRAM NAME right     its twin, which does the same without the fault
// Where nothing notices, the last line is "survived" and the status 0. What is noticed too late shows as
// "handed out again": the heap gave an object away that was freed wrongly. Built without optimisation, which
// would leave faults out.
#ifndef TESTS_MISUSE_H
#define TESTS_MISUSE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { crowd_count = 400, most_asked_again = 2000, largest_text = 8192 };

struct misuse {
    const char* name;
    const char* served;
    void (*run)(void);
};

/// Whether the case that runs is to make its fault.
static bool wrong;

static void* required(void* made) {
    if (made != NULL) return made;
    fputs("out of memory\n", stderr);
    exit(1);
}

// ---- call sites: each asks for all objects of a case, so that it earns a pool

typedef void* (*maker)(size_t bytes);

static void* by_malloc(size_t bytes) {
    return required(malloc(bytes));
}
static void* by_calloc(size_t bytes) {
    return required(calloc(1, bytes));
}
static void* by_realloc(size_t bytes) {
    return required(realloc(NULL, bytes));
}
static void* by_aligned(size_t bytes) {
    return required(aligned_alloc(64, bytes));
}
static void* by_strdup(size_t bytes) {
    char text[largest_text];
    memset(text, 'x', bytes - 1);
    text[bytes - 1] = 0;
    return required(strdup(text));
}

/// The objects that live beside the one that is misused.
static void* crowd[crowd_count];

/// One object among many others that the same call site made, and that live.
static char* one_of_many(maker make, size_t bytes) {
    const size_t filled = bytes < largest_text ? bytes - 1 : largest_text;
    for (int i = 0; i < crowd_count; ++i) crowd[i] = memset(make(bytes), 'a', filled);
    return (char*)crowd[crowd_count / 2];
}

/// All but the object, which is freed already or must not be.
static void free_crowd_but(const void* object) {
    for (int i = 0; i < crowd_count; ++i) {
        if (crowd[i] != object) free(crowd[i]);
    }
}

static void leave_noticed_late(void) {
    puts("handed out again");
    _Exit(0);
}

/// Asks until the heap must have given away what it took back, and says where that is the misused object.
static void ask_again(maker make, size_t bytes, const void* misused) {
    const int times = bytes > 65536 ? 20 : most_asked_again;
    for (int i = 0; i < times; ++i) {
        const uintptr_t made = (uintptr_t)make(bytes), held = (uintptr_t)misused;
        if (wrong && made < held + bytes && held < made + bytes) leave_noticed_late();
    }
}

/// Other requests and frees, of other sizes and at another call site.
static void other_pairs(int count) {
    for (int i = 0; i < count; ++i) {
        char* other = (char*)malloc((size_t)(1 + i % 700));
        other[0] = 1;
        free(other);
    }
}

/// Frees and asks, so that a heap comes by whatever a write has harmed.
static void use_heap(maker make, size_t bytes) {
    free_crowd_but(NULL);
    ask_again(make, bytes, NULL);
    other_pairs(1000);
}

static void in_thread(void* (*run)(void*), void* argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, argument) != 0) exit(1);
    pthread_join(thread, NULL);
}

static void* free_in_thread(void* object) {
    free(object);
    return NULL;
}

static int run_case(const struct misuse* cases, size_t count, int words_count, char** words) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // So that a line is out before the program ends, and takes no memory.
    setvbuf(stdout, NULL, _IONBF, 0);
    const char* name = words_count > 1 ? words[1] : "";
    wrong = words_count == 2;
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(name, "list") == 0) printf("%s %s\n", cases[i].name, cases[i].served);
        if (strcmp(name, cases[i].name) != 0) continue;
        cases[i].run();
        return puts("survived") < 0;
    }
    return strcmp(name, "list") == 0 ? 0 : 2;
}

#define MISUSE_MAIN(cases)                                                     \
    int main(int count, char** words) {                                        \
        return run_case(cases, sizeof(cases) / sizeof *(cases), count, words); \
    }

#endif
