// list_walk OBJECTS WALKS: a list of objects of 40 bytes, made in a row, is walked WALKS times from its head.
// The phase walk_time is the walks alone.
//
// Heap bytes: OBJECTS times 48 in glibc's malloc (40 and a header of 8).
#include <stdio.h>
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/phases.h"

struct object {
    struct object* next;
    unsigned long value;
    unsigned long unused[3];
};

/// The first object made is the head. Their values are 1, 2, 3 and so on.
static struct object* make(unsigned long count) {
    struct object *head = NULL, **end = &head;
    for (unsigned long i = 1; i <= count; ++i) {
        struct object* made = or_exit(malloc(sizeof *made));
        *made = (struct object){NULL, i, {0}};
        *end = made;
        end = &made->next;
    }
    return head;
}

static unsigned long walk(const struct object* list) {
    unsigned long sum = 0;
    for (; list != NULL; list = list->next) sum += list->value;
    return sum;
}

static void release(struct object* list) {
    while (list != NULL) {
        struct object* next = list->next;
        free(list);
        list = next;
    }
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    long objects = count == 3 ? atol(arguments[1]) : 0;
    long walks = count == 3 ? atol(arguments[2]) : 0;
    if (objects < 1 || walks < 1) {
        fputs("usage: list_walk OBJECTS WALKS [--times]\n", stderr);
        return 2;
    }
    struct object* list = make((unsigned long)objects);
    unsigned long sum = 0;
    double began = phase_begin();
    for (long i = 0; i < walks; ++i) {
        sum += walk(list);
        // The next walk is one of its own: no compiler knows what it will meet.
        __asm__ volatile("" ::: "memory");
    }
    phase_end("walk_time", began);
    printf("sum %lu\n", sum);
    release(list);
    return 0;
}
