// Walks that touch two of the eight fields: the link and the count.
#include <stddef.h>

#include "workloads/llu/lists.h"

uint64_t walk(const struct list* list) {
    uint64_t sum = 0;
    for (const struct element* at = list->head; at != NULL; at = at->next) sum += at->count;
    return sum;
}

uint64_t walk_dirtying(struct list* list) {
    uint64_t sum = 0;
    for (struct element* at = list->head; at != NULL; at = at->next) sum += at->count++;
    return sum;
}
