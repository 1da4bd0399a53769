// holes PAGES ROUNDS: so many pages are filled with objects of 24 bytes. In each round one object of every
// page is released, in no order, and then as many are made anew.
//
// The worst case of allocators that keep a bitmap a page: before the objects are made anew each page has one
// free place, so that each request is for another page than the one before. What a page is (4096 bytes) is
// told by the objects' addresses; how many there are to a page is the allocator's. What is printed depends on
// neither.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/random.h"

enum { page_bytes = 4096, most_pages = 4096, most_rounds = 100000, objects_of_page = 256 };

struct object {
    uint32_t value;
    uint32_t more[5];
};

// Objects in the order in which they were made; of each page the number of one of them.
struct filled {
    struct object** objects;
    size_t count, most;
    size_t* holes;
    size_t pages;
};

static struct object* make(uint32_t value) {
    struct object* made = or_exit(malloc(sizeof *made));
    made->value = value;
    return made;
}

static int share_page(const struct object* one, const struct object* other) {
    return (uintptr_t)one / page_bytes == (uintptr_t)other / page_bytes;
}

static void add(struct filled* all, struct object* object) {
    if (all->count == all->most) {
        all->most += objects_of_page;
        all->objects = or_exit(realloc(all->objects, all->most * sizeof *all->objects));
    }
    all->objects[all->count++] = object;
}

// Until an object lies in a page beyond the last one.
static void fill(struct filled* all, size_t pages, uint64_t* random) {
    size_t first = 0;
    for (add(all, make(1)); all->pages < pages;) {
        struct object* made = make(1);
        if (!share_page(made, all->objects[all->count - 1])) {
            all->holes[all->pages++] = first + random_below(random, all->count - first);
            first = all->count;
        }
        add(all, made);
    }
}

static void mix(struct filled* all, uint64_t* random) {
    for (size_t left = all->pages; left > 1; --left) {
        const size_t drawn = random_below(random, left), hole = all->holes[drawn];
        all->holes[drawn] = all->holes[left - 1];
        all->holes[left - 1] = hole;
    }
}

static void open_holes(struct filled* all) {
    for (size_t page = 0; page < all->pages; ++page) free(all->objects[all->holes[page]]);
}

// The page that the last object lies in has no room any more: what comes next lies in a hole.
static void fill_last_page(struct filled* all) {
    struct object* last = all->objects[all->count - 1];
    struct object* made = make(0);
    while (share_page(made, last)) {
        add(all, made);
        made = make(0);
    }
    free(made);
}

static uint64_t close_holes(struct filled* all, uint32_t value) {
    uint64_t sum = 0;
    for (size_t page = 0; page < all->pages; ++page) {
        struct object** place = &all->objects[all->holes[page]];
        *place = make(value);
        sum += (*place)->value;
    }
    return sum;
}

static void release(struct filled* all) {
    for (size_t number = 0; number < all->count; ++number) free(all->objects[number]);
    free(all->objects);
    free(all->holes);
}

int main(int count, char** arguments) {
    const long pages = count == 3 ? atol(arguments[1]) : 0, rounds = count == 3 ? atol(arguments[2]) : 0;
    if (pages < 1 || pages > most_pages || rounds < 1 || rounds > most_rounds) {
        fputs("usage: holes PAGES ROUNDS\n", stderr);
        return 2;
    }
    uint64_t random = random_begin(1), sum = 0;
    struct filled all = {.holes = or_exit(malloc((size_t)pages * sizeof *all.holes))};
    fill(&all, (size_t)pages, &random);
    mix(&all, &random);
    for (long round = 0; round < rounds; ++round) {
        open_holes(&all);
        if (round == 0) fill_last_page(&all);
        sum += close_holes(&all, (uint32_t)round);
    }
    printf("holes %ld rounds %ld sum %llu\n", pages, rounds, (unsigned long long)sum);
    release(&all);
    return 0;
}
