// What a workload does where memory runs out. Inlined, so that the request's call site stays in the program.
#ifndef WORKLOADS_MEMORY_H
#define WORKLOADS_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

/// `made`, or the end of the process with a message where it is NULL.
static inline void* or_exit(void* made) {
    if (made != NULL) return made;
    fputs("out of memory\n", stderr);
    exit(1);
}

#endif
