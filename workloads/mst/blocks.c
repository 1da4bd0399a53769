// The original's way: blocks of 32 KiB are requested, and carved.
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/mst/room.h"

enum { block_bytes = 32768 };

static char* next;
static size_t left;

void* room_for(size_t bytes) {
    if (bytes > left) {
        next = or_exit(malloc(block_bytes));
        left = block_bytes;
    }
    void* room = next;
    next += bytes;
    left -= bytes;
    return room;
}
