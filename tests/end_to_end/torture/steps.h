// Steps of programs that torture.py writes. Each returns a digest that depends on its seed and on nothing
// else, whatever serves the requests and in whatever order threads run.
#pragma once

#include "../ends_program.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>

typedef unsigned long digest;
typedef digest (*step)(unsigned long seed);
typedef struct node* (*site)(size_t more, struct node* next);

// A call site of its own, for objects of at least so many bytes.
#define SITE(number, bytes)                                                    \
    static struct node* site_##number(size_t more, struct node* next) {        \
        return filled((struct node*)malloc(bytes + more), bytes + more, next); \
    }

static unsigned long next_of(unsigned long* seed) {
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    return *seed >> 33;
}

// Gives way to another coroutine, where the thread is in one.
static void give_way(void);

static digest release_of(struct node* list) {
    digest sum = 0;
    while (list != NULL) {
        struct node* next = list->next;
        sum = sum * 31 + list->bytes;
        release(list);
        list = next;
    }
    return sum;
}

// Two lists made in turns; every third object goes early.
static digest lists(unsigned long seed, site one, site other, int count) {
    struct node *first = NULL, *second = NULL;
    for (int i = 0; i < count; ++i) {
        first = one(0, first);
        second = other(next_of(&seed) % 40, second);
        if (i % 3 == 0) {
            struct node* rest = second->next;
            release(second);
            second = rest;
        }
        if (i % 16 == 0) give_way();
    }
    return release_of(first) * 7 + release_of(second);
}

static digest reallocs(unsigned long seed, int count) {
    digest sum = 0;
    unsigned char* object = NULL;
    size_t had = 0;
    for (int i = 0; i < count; ++i) {
        const size_t bytes = 1 + next_of(&seed) % (i % 8 == 7 ? 300000 : 700);
        object = (unsigned char*)realloc(object, bytes);
        require(object != NULL);
        for (size_t k = 0; k < had && k < bytes; k += 61) require(object[k] == k % 251);
        for (size_t k = 0; k < bytes; ++k) object[k] = (unsigned char)(k % 251);
        had = bytes;
        sum = sum * 31 + object[bytes / 2];
        if (i % 16 == 0) give_way();
    }
    free(object);
    return sum;
}

static digest aligned(unsigned long seed, int count) {
    void* objects[64] = {NULL};
    for (int i = 0; i < count; ++i) {
        void** place = &objects[next_of(&seed) % 64];
        const size_t alignment = (size_t)16 << next_of(&seed) % 9, bytes = 1 + next_of(&seed) % 3000;
        free(*place);
        if (i % 3 == 0) *place = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        if (i % 3 == 1) *place = memalign(alignment, bytes);
        if (i % 3 == 2) require(posix_memalign(place, alignment, bytes) == 0);
        require(*place != NULL && (uintptr_t)*place % alignment == 0 && malloc_usable_size(*place) >= bytes);
        memset(*place, i, bytes);
    }
    for (int i = 0; i < 64; ++i) free(objects[i]);
    return seed;
}

// What the C library asks for itself.
static digest texts(unsigned long seed, int count) {
    digest sum = 0;
    for (int i = 0; i < count; ++i) {
        char *text = NULL, *copy = NULL;
        size_t bytes = 0;
        FILE* stream = open_memstream(&text, &bytes);
        require(stream != NULL);
        for (unsigned long k = next_of(&seed) % 200; k > 0; --k) fprintf(stream, "%lu;", k * k);
        require(fclose(stream) == 0 && asprintf(&copy, "%s.", text) == (int)bytes + 1);
        char* another = strdup(copy);
        sum = sum * 31 + strlen(another);
        free(text);
        free(another);
        free(copy);
    }
    return sum;
}

// Pages of zeros, also where objects were.
static digest zeros(unsigned long seed, int count) {
    for (int i = 0; i < count; ++i) {
        const size_t bytes = 1 + next_of(&seed) % (i % 10 == 0 ? 2000000 : 2000);
        unsigned char* object = (unsigned char*)calloc(1, bytes);
        require(object != NULL);
        for (size_t k = 0; k < bytes; k += 1 + k / 16) require(object[k] == 0);
        memset(object, 0xff, bytes);
        free(object);
    }
    return seed;
}

// Objects that other threads made, and that others will free.
static digest foreign(unsigned long seed, int count) {
    stir(seed, count);
    return seed;
}

// What cannot be had is refused, and what there was stays.
static digest refused(unsigned long seed) {
    volatile size_t most = SIZE_MAX;
    void* object = malloc(16 + seed % 100);
    require(object != NULL && malloc(most / 2) == NULL && calloc(most, 3) == NULL);
    require(realloc(object, most - 4096) == NULL);
    free(object);
    return seed;
}
