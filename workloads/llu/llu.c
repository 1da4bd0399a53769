// llu [-i WALKS] [-n LISTS] [-l LENGTH] [-g GROWTH] [-d] [-t] [-r] [--times]: linked lists that are walked
// and grow, and nothing else. LISTS lists begin with LENGTH elements each; then, WALKS times, all lists are
// walked from their heads, one after the other, and each grows by GROWTH elements, which may be a fraction.
// -d writes to each element that is walked; -t puts new elements at the tail instead of the head; -r makes
// the first elements in rounds, one for each list, where otherwise one list is made after the other.
//
// Written afresh after Zilles' linked-list micro-benchmark (Benchmark health considered harmful, SIGARCH
// 29(3), 2001), which makes its lists in rounds, and lets them grow so as here. So the elements of a list lie
// apart, which is hard for caches; made one list after the other they lie in the order of the walk. Here an
// element is fixed at compile time, so that a compiler may know it: 64 bytes in eight fields, all of which
// are written when it is made. Of these a walk of `llu` touches two, and one of `llu_many` six, as Curial et
// al. say of theirs that it accesses many of the fields; the source of the walk makes the difference
// (two_fields.c, six_fields.c). Each element is a request of its own.
//
// Heap bytes: 80 an element in glibc's malloc (64 and a header, rounded up to 16), LISTS times (LENGTH and
// WALKS times GROWTH).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "workloads/llu/lists.h"
#include "workloads/memory.h"
#include "workloads/phases.h"

struct options {
    long walks, lists, length;
    double growth;
    bool dirty, at_tail, in_rounds;
};

static void put(struct list* list, uint64_t number, uint64_t walk, bool at_tail) {
    struct element* made = or_exit(malloc(sizeof *made));
    *made = (struct element){NULL, 1, walk, number, walk + 1, walk + 2, walk + 3, walk + 4};
    if (list->head == NULL) {
        list->head = list->tail = made;
    } else if (at_tail) {
        list->tail->next = made;
        list->tail = made;
    } else {
        made->next = list->head;
        list->head = made;
    }
}

/// So many times an element for each list.
static void grow_all(struct list* lists, const struct options* options, uint64_t times, uint64_t walk) {
    for (uint64_t time = 0; time < times; ++time) {
        for (long i = 0; i < options->lists; ++i) put(&lists[i], (uint64_t)i, walk, options->at_tail);
    }
}

static struct list* make(const struct options* options) {
    struct list* lists = or_exit(calloc((size_t)options->lists, sizeof *lists));
    if (options->in_rounds) {
        grow_all(lists, options, (uint64_t)options->length, 0);
        return lists;
    }
    for (long i = 0; i < options->lists; ++i) {
        for (long j = 0; j < options->length; ++j) put(&lists[i], (uint64_t)i, 0, options->at_tail);
    }
    return lists;
}

static uint64_t walk_all(struct list* lists, const struct options* options) {
    uint64_t sum = 0;
    for (long i = 0; i < options->lists; ++i) {
        sum += options->dirty ? walk_dirtying(&lists[i]) : walk(&lists[i]);
    }
    return sum;
}

static struct options from_arguments(int count, char** arguments) {
    struct options options = {.walks = 100, .lists = 1, .length = 1};
    for (int option; (option = getopt(count, arguments, "i:n:l:g:dtr")) != -1;) {
        switch (option) {
            case 'i':
                options.walks = atol(optarg);
                break;
            case 'n':
                options.lists = atol(optarg);
                break;
            case 'l':
                options.length = atol(optarg);
                break;
            case 'g':
                options.growth = atof(optarg);
                break;
            case 'd':
                options.dirty = true;
                break;
            case 't':
                options.at_tail = true;
                break;
            case 'r':
                options.in_rounds = true;
                break;
            default:
                options.lists = 0;
        }
    }
    if (optind != count || options.walks < 1 || options.lists < 1 || options.length < 0 ||
        options.growth < 0) {
        fputs("usage: llu [-i WALKS] [-n LISTS] [-l LENGTH] [-g GROWTH] [-d] [-t] [-r] [--times]\n", stderr);
        exit(2);
    }
    return options;
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    const struct options options = from_arguments(count, arguments);
    double began = phase_begin();
    struct list* lists = make(&options);
    phase_end("build_time", began);
    uint64_t sum = 0;
    double owed = 0;
    began = phase_begin();
    for (long i = 1; i <= options.walks; ++i) {
        sum += walk_all(lists, &options);
        // What is a fraction of an element stays owed.
        owed += options.growth;
        grow_all(lists, &options, (uint64_t)owed, (uint64_t)i);
        owed -= (double)(uint64_t)owed;
        // The next walk is one of its own: no compiler knows what it will meet.
        __asm__ volatile("" ::: "memory");
    }
    phase_end("walk_time", began);
    printf("sum %llu\n", (unsigned long long)sum);
    return 0;
}
