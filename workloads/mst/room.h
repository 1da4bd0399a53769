// Where mst's tables and their entries lie: blocks.c is the original's way, and workloads/mst_requests has
// another.
#ifndef WORKLOADS_MST_ROOM_H
#define WORKLOADS_MST_ROOM_H

#include <stddef.h>

/// Memory for a table or an entry, never freed. Ends the process where memory runs out.
void* room_for(size_t bytes);

#endif
