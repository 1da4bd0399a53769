// small_STRUCTURE WALK BUILD NODES WALKS [--times]: a linked structure of NODES nodes of 64 bytes that is
// gone through WALKS times. WALK is `one` (reads one field of each node), `several` (four) or `write` (adds
// to one); BUILD is `sequential` (nodes are linked in the order in which they are made) or `shuffled`.
//
// What splitting can gain at its best, one kind of structure and of access at a time, after the small
// programs of Curial et al. (MPADS, ISMM 2008, figure 4), of which the paper gives the names only.
//
// Heap bytes: 80 a node in glibc's malloc while it is walked (the hash table: 8 more for its buckets).
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"
#include "workloads/phases.h"
#include "workloads/random.h"
#include "workloads/small_structures/structure.h"

/// The numbers below `count`, shuffled after Fisher and Yates or as they are.
static size_t* make_order(size_t count, bool shuffled) {
    size_t* order = or_exit(malloc(count * sizeof *order));
    for (size_t i = 0; i < count; ++i) order[i] = i;
    uint64_t random = random_begin(1);
    for (size_t i = count; shuffled && i > 1; --i) {
        size_t other = random_below(&random, i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    return order;
}

static uint64_t walk(struct structure* structure, char kind) {
    switch (kind) {
        case 'o':
            return structure_read_one(structure);
        case 's':
            return structure_read_several(structure);
        default:
            return structure_write(structure);
    }
}

static bool is_one_of(const char* text, const char* first, const char* second, const char* third) {
    return strcmp(text, first) == 0 || strcmp(text, second) == 0 || strcmp(text, third) == 0;
}

int main(int count, char** arguments) {
    count = phases_from_arguments(count, arguments);
    long nodes = count == 5 ? atol(arguments[3]) : 0;
    long walks = count == 5 ? atol(arguments[4]) : 0;
    if (nodes < 1 || walks < 1 || !is_one_of(arguments[1], "one", "several", "write") ||
        !is_one_of(arguments[2], "sequential", "shuffled", "shuffled")) {
        fprintf(stderr, "usage: %s one|several|write sequential|shuffled NODES WALKS [--times]\n",
                arguments[0]);
        return 2;
    }
    double began = phase_begin();
    size_t* order = make_order((size_t)nodes, strcmp(arguments[2], "shuffled") == 0);
    struct structure* structure = structure_make(order, (size_t)nodes);
    free(order);
    phase_end("build_time", began);
    uint64_t sum = 0;
    began = phase_begin();
    for (long i = 0; i < walks; ++i) {
        sum += walk(structure, arguments[1][0]);
        // The next walk is one of its own: no compiler knows what it will meet.
        __asm__ volatile("" ::: "memory");
    }
    phase_end("walk_time", began);
    structure_release(structure);
    printf("sum %llu\n", (unsigned long long)sum);
    return 0;
}
