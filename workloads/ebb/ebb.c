// ebb BYTES: objects of 16, 48 and 160 bytes, from a call site each, are made until they have BYTES together,
// and then all are released, in an order that has nothing to do with the one they were made in. Reports on
// stderr, as "resident NAME BYTES", the memory that the process has in use: full_bytes when all objects live
// and empty_bytes when none does. The table that holds them lies outside the heap.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workloads/memory.h"
#include "workloads/random.h"

enum { smallest = 16, middle = 48, largest = 160, round_bytes = smallest + middle + largest };

/// Bytes of the process that are in memory. Reads without allocating.
static long resident_bytes(void) {
    char text[128] = "";
    int file = open("/proc/self/statm", O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0) {
        fputs("ebb: there is no /proc\n", stderr);
        exit(1);
    }
    close(file);
    const char* resident = strchr(text, ' ');
    return (resident == NULL ? 0 : atol(resident)) * sysconf(_SC_PAGESIZE);
}

static void report(const char* name) {
    fprintf(stderr, "resident %s %ld\n", name, resident_bytes());
}

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
        fputs("usage: ebb BYTES\n", stderr);
        return 2;
    }
    size_t objects_count = (size_t)bytes / round_bytes * 3;
    size_t table_bytes = objects_count * sizeof(char*);
    char** objects = mmap(NULL, table_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (objects == MAP_FAILED) objects = or_exit(NULL);
    rise(objects, objects_count);
    report("full_bytes");
    shuffle(objects, objects_count);
    fall(objects, objects_count);
    munmap(objects, table_bytes);
    report("empty_bytes");
    printf("%zu objects\n", objects_count);
    return 0;
}
