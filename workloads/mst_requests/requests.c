// Each table and each entry is a request, so that they are the allocator's to place.
#include <stdlib.h>

#include "workloads/memory.h"
#include "workloads/mst/room.h"

void* room_for(size_t bytes) {
    return or_exit(malloc(bytes));
}
