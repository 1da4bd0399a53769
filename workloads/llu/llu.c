// llu [-i WALKS] [-n LISTS] [-l LENGTH] [-g GROWTH] [-d] [-t] [--times]: linked lists that are walked and
// grow, and nothing else. LISTS lists begin with LENGTH elements each; then, WALKS times, all lists are
// walked from their heads, one after the other, and each grows by GROWTH elements, which may be a fraction.
// -d adds to each element that is walked; -t puts new elements at the tail instead of the head.
//
// Written afresh after the description of Zilles' linked-list micro-benchmark (Benchmark health considered
// harmful, SIGARCH 29(3), 2001). As there, the first elements of a list are made in a row, and elements by
// which lists grow in turn, one for each list, so that those of a list lie apart. Here an element is fixed at
// compile time, so that a compiler may know it: 64 bytes in eight fields, all of which are written when it is
// made, and two of which the walks read. Each is a request of its own.
//
// Heap bytes: 80 an element in glibc's malloc (64 and a header, rounded up to 16), LISTS times (LENGTH and
// WALKS times GROWTH).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "workloads/memory.h"
#include "workloads/phases.h"

struct element {
    struct element* next;
    uint64_t count;
    uint64_t made_in_walk;
    uint64_t list;
    uint64_t unused[4];
};

struct list {
    struct element *head, *tail;
};

struct options {
    long walks, lists, length;
    double growth;
    bool dirty, at_tail;
};

static void put(struct list* list, uint64_t number, uint64_t walk, bool at_tail) {
    struct element* made = or_exit(malloc(sizeof *made));
    *made = (struct element){NULL, 1, walk, number, {walk + 1, walk + 2, walk + 3, walk + 4}};
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

static struct list* make(const struct options* options) {
    struct list* lists = or_exit(calloc((size_t)options->lists, sizeof *lists));
    for (long i = 0; i < options->lists; ++i) {
        for (long j = 0; j < options->length; ++j) put(&lists[i], (uint64_t)i, 0, options->at_tail);
    }
    return lists;
}

/// The sum of all counts of a list.
static uint64_t walk(const struct list* list) {
    uint64_t sum = 0;
    for (const struct element* at = list->head; at != NULL; at = at->next) sum += at->count;
    return sum;
}

/// The same, and adds 1 to each count.
static uint64_t walk_dirtying(struct list* list) {
    uint64_t sum = 0;
    for (struct element* at = list->head; at != NULL; at = at->next) sum += at->count++;
    return sum;
}

static uint64_t walk_all(struct list* lists, const struct options* options) {
    uint64_t sum = 0;
    for (long i = 0; i < options->lists; ++i) {
        sum += options->dirty ? walk_dirtying(&lists[i]) : walk(&lists[i]);
    }
    return sum;
}

/// So many times an element for each list.
static void grow_all(struct list* lists, const struct options* options, uint64_t times, uint64_t walk) {
    for (uint64_t time = 0; time < times; ++time) {
        for (long i = 0; i < options->lists; ++i) put(&lists[i], (uint64_t)i, walk, options->at_tail);
    }
}

static struct options from_arguments(int count, char** arguments) {
    struct options options = {.walks = 100, .lists = 1, .length = 1};
    for (int option; (option = getopt(count, arguments, "i:n:l:g:dt")) != -1;) {
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
            default:
                options.lists = 0;
        }
    }
    if (optind != count || options.walks < 1 || options.lists < 1 || options.length < 0 ||
        options.growth < 0) {
        fputs("usage: llu [-i WALKS] [-n LISTS] [-l LENGTH] [-g GROWTH] [-d] [-t] [--times]\n", stderr);
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
