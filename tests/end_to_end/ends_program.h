// Objects that are checked before they are freed, for programs that test heaps from without.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define require(condition)                                     \
    do {                                                       \
        if (!(condition)) {                                    \
            dprintf(2, "line %d: %s\n", __LINE__, #condition); \
            _exit(99);                                         \
        }                                                      \
    } while (0)

struct node {
    struct node* next;
    size_t bytes;
    unsigned char filler[];
};

static struct node* filled(struct node* node, size_t bytes, struct node* next) {
    require(node != NULL && (size_t)node % 16 == 0);
    node->next = next;
    node->bytes = bytes;
    memset(node->filler, (int)(bytes % 251), bytes - sizeof *node);
    return node;
}

static void check(const struct node* node) {
    for (size_t i = 0; i < node->bytes - sizeof *node; ++i) require(node->filler[i] == node->bytes % 251);
}

static struct node* node_of(size_t bytes, struct node* next) {
    return filled((struct node*)malloc(bytes), bytes, next);
}

static void release(struct node* node) {
    check(node);
    free(node);
}

static void release_all(struct node* list) {
    while (list != NULL) {
        struct node* next = list->next;
        release(list);
        list = next;
    }
}

enum { places = 256 };
static struct node* shared[places];

// Puts new objects in the place of others, which any thread may have made.
static void stir(unsigned long seed, int count) {
    for (int i = 0; i < count; ++i) {
        seed = seed * 6364136223846793005UL + 1442695040888963407UL;
        const size_t bytes = seed >> 60 == 0 ? 24 + (seed >> 40) % 700 : 64;
        struct node* mine = node_of(bytes, NULL);
        struct node* other = __atomic_exchange_n(&shared[(seed >> 33) % places], mine, __ATOMIC_ACQ_REL);
        if (other != NULL) release(other);
    }
}

static inline void in_threads(size_t count, void* (*work)(void*)) {
    pthread_t* threads = (pthread_t*)calloc(count, sizeof *threads);
    for (size_t i = 0; i < count; ++i) {
        require(pthread_create(&threads[i], NULL, work, (void*)i) == 0);
    }
    for (size_t i = 0; i < count; ++i) require(pthread_join(threads[i], NULL) == 0);
    free(threads);
}
