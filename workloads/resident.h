// The memory that a workload has in use, reported on stderr as "measure NAME BYTES"; and memory outside the
// heap for what a workload keeps about its objects, so that it does not count among them.
#ifndef WORKLOADS_RESIDENT_H
#define WORKLOADS_RESIDENT_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workloads/memory.h"

/// Bytes of the process that are in memory. Reads without allocating.
static inline long resident_bytes(void) {
    char text[128] = "";
    int file = open("/proc/self/statm", O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0) {
        fputs("there is no /proc\n", stderr);
        exit(1);
    }
    close(file);
    const char* resident = strchr(text, ' ');
    return (resident == NULL ? 0 : atol(resident)) * sysconf(_SC_PAGESIZE);
}

static inline void report_resident(const char* name) {
    fprintf(stderr, "measure %s %ld\n", name, resident_bytes());
}

/// A table of so many pointers, all null, that is not on the heap.
static inline char** table_outside_heap(size_t count) {
    void* table =
        mmap(NULL, count * sizeof(char*), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return (char**)or_exit(table == MAP_FAILED ? NULL : table);
}

static inline void discard_table(char** table, size_t count) {
    munmap((void*)table, count * sizeof(char*));
}

#endif
