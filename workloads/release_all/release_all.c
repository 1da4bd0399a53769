// release_all BYTES: objects of 16, 48 and 160 bytes, from a call site each, are made until they have BYTES
// together, and then all are released, in an order that has nothing to do with the one they were made in.
// Reports on stderr, as "measure NAME BYTES", the memory that the process has in use: full_bytes when all
// objects live and empty_bytes when none does. The table that holds them lies outside the heap.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/memory.h"
#include "workloads/random.h"
#include "workloads/resident.h"

enum { smallest = 16, middle = 48, largest = 160, round_bytes = smallest + middle + largest };

static char* touched(void* made, size_t bytes) {
    return memset(or_exit(made), 1, bytes);
}

/// Three objects a round, each size from a call site of its own.
static void rise(char** objects, size_t count) {
    for (size_t i = 0; i + 2 < count; i += 3) {
        objects[i] = touched(malloc(smallest), smallest);
        objects[i + 1] = touched(malloc(middle), middle);
        objects[i + 2] = touched(malloc(largest), largest);
    }
}

static void shuffle(char** objects, size_t count) {
    uint64_t state = random_begin(1);
    for (size_t left = count; left > 1; --left) {
        size_t chosen = random_below(&state, left);
        char* last = objects[left - 1];
        objects[left - 1] = objects[chosen];
        objects[chosen] = last;
    }
}

static void fall(char** objects, size_t count) {
    for (size_t i = 0; i < count; ++i) free(objects[i]);
}

int main(int count, char** arguments) {
    long bytes = count == 2 ? atol(arguments[1]) : 0;
    if (bytes < round_bytes) {
        fputs("usage: release_all BYTES\n", stderr);
        return 2;
    }
    size_t objects_count = (size_t)bytes / round_bytes * 3;
    char** objects = table_outside_heap(objects_count);
    rise(objects, objects_count);
    report_resident("full_bytes");
    shuffle(objects, objects_count);
    fall(objects, objects_count);
    discard_table(objects, objects_count);
    report_resident("empty_bytes");
    printf("%zu objects\n", objects_count);
    return 0;
}
